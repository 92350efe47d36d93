import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHANNELS, findSource } from '@tributary/shared';
import type { PendingReport } from '../connector.ts';
import { createAgent } from '../http/agent.ts';
import { createHttpClient } from '../http/http-client.ts';
import { type GraphAccess, isGraphError } from '../social-ads/client.ts';
import { createSocialAdsConnector } from '../social-ads/index.ts';
import type { SocialAdsSettings } from '../social-ads/schema.ts';
import { type ContractSubject, drain } from './contract.ts';
import { json } from './scripted-server.ts';
import { usePlatform } from './use-platform.ts';

export const ACCOUNT = { id: '104209876543210', zone: 'Asia/Seoul', currency: 'KRW' };
export const CAMPAIGN = '120210987654321987';
export const NOW = Date.UTC(2026, 10, 21, 12);

interface Fixture {
  data: Record<string, unknown>[];
}
export function fixture(name: string): Fixture {
  return JSON.parse(
    readFileSync(join(__dirname, '../social-ads/fixtures', `${name}.json`), 'utf8'),
  );
}

export function source(id: string) {
  const found = findSource(CHANNELS.SOCIAL_ADS, id);
  if (!found) throw new Error(`No source ${id}`);
  return found;
}

export function openSocialAds(deps: Parameters<ContractSubject['open']>[0]) {
  const agent = createAgent();
  const http = createHttpClient({
    dispatcher: agent,
    repeatWaitMs: 5,
    isPlatformError: isGraphError,
  });
  const reports = { firstPollMs: 10, patienceMs: 300 };
  return {
    connector: createSocialAdsConnector({ ...deps, http, reports }),
    close: () => agent.destroy(),
  };
}

export function throttle(body: object, regainMinutes = 0) {
  const usage = { type: 'ads_insights', call_count: 100, total_cputime: 3, total_time: 4 };
  const one = { ...usage, estimated_time_to_regain_access: regainMinutes };
  return [
    { error: { message: 'There have been too many calls', type: 'OAuthException', ...body } },
    400,
    { 'x-business-use-case-usage': JSON.stringify({ [ACCOUNT.id]: [one] }) },
  ] as const;
}

export function access(
  settings: Partial<SocialAdsSettings> = {},
  signal: GraphAccess['signal'] = new AbortController().signal,
): GraphAccess {
  return {
    link: 'link1',
    credentials: { accessToken: 'EAAB-secret-token', appId: '77' },
    settings: { historyDays: 400, conversion: 'omni_purchase', ...settings },
    signal,
  };
}
export const row = (more: object = {}) => ({
  account_id: ACCOUNT.id,
  date_start: '2026-11-18',
  date_stop: '2026-11-18',
  impressions: '10',
  clicks: '2',
  spend: '1',
  reach: '8',
  ...more,
});
/** A connector of SOCIAL_ADS against a scripted platform, new for each test of the file. */
export function useSocialAds() {
  const platform = usePlatform(openSocialAds, NOW);
  const { server, connector } = platform;
  const reports: PendingReport[] = [];
  beforeEach(() => {
    reports.splice(0);
  });
  const collect = (
    id: string,
    more: { rowsExpected?: number; report?: PendingReport } = {},
    settings = {},
  ) =>
    drain(
      connector().collect({
        ...access(settings),
        account: ACCOUNT,
        source: source(id),
        from: '2026-11-18',
        to: '2026-11-19',
        onReport: async (report) => {
          reports.push(report);
        },
        ...more,
      }),
    );
  const answerRows = (...data: object[]) => server().answer((_seen, res) => json(res, { data }));
  return {
    ...platform,
    reports,
    collect,
    answerRows,
  };
}
