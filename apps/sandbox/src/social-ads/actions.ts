import type { LateEvent, Purchase } from '../world/social-figures.ts';

/** A row's share of purchases under one action type; its types describe the same purchases several times. */
interface PurchaseType {
  counts(event: Purchase): boolean;
  /** Carts were filled three times as often as bought. */
  times: number;
  hasValue: boolean;
}

const any = (): boolean => true;
const pixel = (event: Purchase): boolean => event.place === 'pixel';
const onsite = (event: Purchase): boolean => event.place === 'onsite';

const PURCHASE_TYPES: Record<string, PurchaseType> = {
  purchase: { counts: any, times: 1, hasValue: true },
  omni_purchase: { counts: any, times: 1, hasValue: true },
  'offsite_conversion.fb_pixel_purchase': { counts: pixel, times: 1, hasValue: true },
  web_in_store_purchase: { counts: pixel, times: 1, hasValue: true },
  'onsite_conversion.purchase': { counts: onsite, times: 1, hasValue: true },
  add_to_cart: { counts: any, times: 3, hasValue: false },
  omni_add_to_cart: { counts: any, times: 3, hasValue: false },
};

export type ActionEntry = Record<string, string>;

/** `1d_click` … as the platform cuts them: a click window holds the shorter ones; the setting `value` holds all. */
const WINDOWS: Record<string, readonly string[]> = {
  '1d_click': ['1d_click'],
  '7d_click': ['1d_click', '7d_click'],
  '28d_click': ['1d_click', '7d_click', '28d_click'],
  '1d_view': ['1d_view'],
  '1d_ev': ['1d_ev'],
};

/** A figure in the currency's main unit without trailing zeros: 1425 cents are "14.25", 1400 are "14". */
export function money(minor: number, minorDigits: number): string {
  const whole = Math.trunc(minor / 10 ** minorDigits);
  const rest = String(Math.round(minor % 10 ** minorDigits)).padStart(minorDigits, '0');
  const fraction = minorDigits === 0 ? '' : rest.replace(/0+$/, '');
  return fraction === '' ? String(whole) : `${whole}.${fraction}`;
}

export type SplitBy = 'action_device' | 'action_destination';

export interface ActionInput {
  purchases: LateEvent[];
  /** Clicks on links, which happen on the platform and so are in every breakdown. */
  linkClicks: number;
  clicks: number;
  windows: string[];
  /** Entries are split by this beside the type, if asked for. */
  splitBy: SplitBy | undefined;
  minorDigits: number;
}

function splitName(input: ActionInput, event: LateEvent): string {
  if (input.splitBy === 'action_device') return event.cell.place % 3 === 0 ? 'desktop' : 'iphone';
  return event.cell.geo % 2 === 0 ? 'shop.example' : 'm.shop.example';
}

function purchaseEntries(
  input: ActionInput,
  name: string,
  type: PurchaseType,
  ofMoney: boolean,
): ActionEntry[] {
  if (input.purchases.length === 0) return [];
  const groups = new Map<string, LateEvent[]>();
  for (const event of input.purchases) {
    if (event.purchase === undefined || !type.counts(event.purchase)) continue;
    const key = input.splitBy === undefined ? '' : splitName(input, event);
    groups.set(key, [...(groups.get(key) ?? []), event]);
  }
  const measure = (events: LateEvent[]): string =>
    ofMoney
      ? money(
          events.reduce((sum, event) => sum + (event.purchase?.valueMinor ?? 0), 0),
          input.minorDigits,
        )
      : String(events.length * type.times);
  return [...groups].map(([key, events]) => {
    const entry: ActionEntry = { action_type: name, value: measure(events) };
    if (input.splitBy !== undefined) entry[input.splitBy] = key;
    for (const window of input.windows) {
      const inside = events.filter((event) =>
        WINDOWS[window]?.includes(event.purchase?.window ?? ''),
      );
      if (inside.length > 0) entry[window] = measure(inside);
    }
    return entry;
  });
}

function clickEntry(input: ActionInput, name: string, count: number): ActionEntry[] {
  if (count === 0) return [];
  const entry: ActionEntry = { action_type: name, value: String(count) };
  if (input.windows.includes('1d_click')) entry['1d_click'] = String(count);
  if (input.windows.includes('7d_click')) entry['7d_click'] = String(count);
  if (input.windows.includes('28d_click')) entry['28d_click'] = String(count);
  if (input.splitBy === 'action_device') entry.action_device = 'iphone';
  return [entry];
}

/** `actions`: types that did not happen are absent. */
export function actionsOf(input: ActionInput): ActionEntry[] {
  return [
    ...clickEntry(input, 'link_click', input.linkClicks),
    ...clickEntry(input, 'post_engagement', input.clicks),
    ...clickEntry(input, 'page_engagement', input.clicks),
    ...Object.entries(PURCHASE_TYPES).flatMap(([name, type]) =>
      purchaseEntries(input, name, type, false),
    ),
  ];
}

/** `action_values`: money in the account's main unit. */
export function actionValuesOf(input: ActionInput): ActionEntry[] {
  return Object.entries(PURCHASE_TYPES).flatMap(([name, type]) =>
    type.hasValue ? purchaseEntries(input, name, type, true) : [],
  );
}
