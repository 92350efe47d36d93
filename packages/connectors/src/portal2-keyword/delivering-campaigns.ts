import type { Clock } from '@tributary/runtime';
import type { Day } from '@tributary/shared';
import type { Portal2Client } from '../portal2/client.ts';
import { textOf } from '../portal2/figures.ts';
import { ALL_GROUPS, readReport } from './report.ts';

/** As long as a turn begins new windows: its sources see the same campaigns. */
const KEPT_MS = 60_000;
const WINDOWS_KEPT = 1_000;

export interface CampaignWindow {
  link: string;
  account: string;
  from: Day;
  to: Day;
}

/** Finds the campaigns that a window's reports must be asked for one by one. */
export interface DeliveringCampaigns {
  find(client: Portal2Client, window: CampaignWindow): Promise<readonly string[]>;
}

/**
 * The campaigns that delivered in a window, by the campaign report itself: it names the removed ones, and those of a kind
 * that the lists do not know; it leaves out those that have nothing to ask for. Remembered for a minute.
 */
export function createDeliveringCampaigns(clock: Clock): DeliveringCampaigns {
  const known = new Map<string, { at: number; campaigns: readonly string[] }>();
  return {
    async find(client, window) {
      const { account, from, to } = window;
      const key = [window.link, account, from, to].join('/');
      const found = known.get(key);
      const now = clock.now();
      if (found && now - found.at < KEPT_MS) return found.campaigns;
      const rows = await readReport(client, {
        path: 'campaigns/report',
        account,
        from,
        to,
        timeUnit: 'DAY',
        metricsGroups: ALL_GROUPS,
      });
      const campaigns = [...new Set(rows.map((row) => textOf(row.dimensions, 'campaignId')))];
      if (known.size >= WINDOWS_KEPT) known.clear();
      known.set(key, { at: now, campaigns });
      return campaigns;
    },
  };
}
