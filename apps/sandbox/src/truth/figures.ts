import {
  CLICKS,
  IMPRESSIONS,
  type LateEvent,
  METRIC_COUNT,
  SPEND,
} from '../world/social-figures.ts';

/** Figures as decimal strings, money in the currency's main unit; null where the channel has no such figure there. */
export interface TruthFigures {
  impressions: string;
  clicks: string;
  conversions: string | null;
  amount: string | null;
  spend: string;
  reach: string | null;
}

export type AdditiveFigures = Omit<TruthFigures, 'reach'>;

/** Adds up facts in whole numbers. */
export class Sum {
  impressions = 0;
  clicks = 0;
  spendMinor = 0;
  conversions = 0;
  amountMinor = 0;

  addCell(cells: Int32Array, cell: number): void {
    this.impressions += cells[cell * METRIC_COUNT + IMPRESSIONS] ?? 0;
    this.clicks += cells[cell * METRIC_COUNT + CLICKS] ?? 0;
    this.spendMinor += cells[cell * METRIC_COUNT + SPEND] ?? 0;
  }

  addPurchase(event: LateEvent): void {
    this.conversions += 1;
    this.amountMinor += event.purchase?.valueMinor ?? 0;
  }

  /** What is left of this without the parts. */
  minus(parts: Iterable<Sum>): Sum {
    const rest = Object.assign(new Sum(), this);
    for (const part of parts) {
      rest.impressions -= part.impressions;
      rest.clicks -= part.clicks;
      rest.spendMinor -= part.spendMinor;
      rest.conversions -= part.conversions;
      rest.amountMinor -= part.amountMinor;
    }
    return rest;
  }

  isZero(): boolean {
    return this.impressions + this.clicks + this.spendMinor + this.conversions === 0;
  }

  told(minorDigits: number, hasConversions: boolean): AdditiveFigures {
    return {
      impressions: String(this.impressions),
      clicks: String(this.clicks),
      conversions: hasConversions ? String(this.conversions) : null,
      amount: hasConversions ? decimal(this.amountMinor, minorDigits) : null,
      spend: decimal(this.spendMinor, minorDigits),
    };
  }
}

/** 1425 with 2 digits is "14.25", 1400 is "14". */
function decimal(minor: number, digits: number): string {
  if (digits === 0) return String(minor);
  const text = String(minor).padStart(digits + 1, '0');
  return `${text.slice(0, -digits)}.${text.slice(-digits)}`.replace(/\.?0+$/, '');
}
