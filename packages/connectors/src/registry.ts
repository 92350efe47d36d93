import type { Clock, Releasers } from '@tributary/runtime';
import type { ChannelType } from '@tributary/shared';
import type { AccessTokens, Connector, RateBudget } from './connector.ts';
import { createAgent } from './http/agent.ts';
import { checkFeedUrlForm, createGuardedLookup } from './http/feed-url.ts';
import { createHttpClient, type HttpClientOptions } from './http/http-client.ts';
import { createPortal1BlogConnector } from './portal1-blog/index.ts';
import { isPortal1DaError } from './portal1-da/client.ts';
import { createPortal1DaConnector } from './portal1-da/index.ts';
import { isSearchAdError } from './portal1-search-ad/client.ts';
import { createSearchAdConnector } from './portal1-search-ad/index.ts';
import { isPortal2Error } from './portal2/client.ts';
import { createPortal2DisplayConnector } from './portal2-display/index.ts';
import { createPortal2KeywordConnector } from './portal2-keyword/index.ts';
import { isSearchError } from './search-engine-ads/client.ts';
import { createSearchEngineAdsConnector } from './search-engine-ads/index.ts';
import { isGraphError } from './social-ads/client.ts';
import { createSocialAdsConnector } from './social-ads/index.ts';

export interface ConnectorOptions {
  /** Where the platforms are; for a sandbox or a proxy. Default: the platforms themselves. */
  baseUrls?: Partial<Record<ChannelType, string>>;
  /** Where access tokens are refreshed, for channels that have them. Default: the platforms themselves. */
  tokenUrls?: Partial<Record<ChannelType, string>>;
  budget: RateBudget;
  accessTokens: AccessTokens;
  clock: Clock;
  /** Lets feeds of clients live in private networks and on plain http. */
  allowPrivateAddresses: boolean;
  http?: Pick<HttpClientOptions, 'timeoutMs' | 'bodyBytesMax'>;
  /** Gets the closers of the connections. */
  releasers: Releasers;
}

/** The platforms' addresses. */
const BASE_URLS = {
  SOCIAL_ADS: 'https://graph.facebook.com',
  SEARCH_ENGINE_ADS: 'https://googleads.googleapis.com',
  PORTAL1_SEARCH_AD: 'https://api.searchad.naver.com',
  PORTAL2_KEYWORD: 'https://api.keywordad.kakao.com',
  PORTAL2_DISPLAY: 'https://apis.moment.kakao.com',
  PORTAL1_DA: 'https://openapi.naver.com',
} as const;

/** Where access tokens are refreshed. */
const TOKEN_URLS = {
  SEARCH_ENGINE_ADS: 'https://oauth2.googleapis.com/token',
  PORTAL1_DA: 'https://nid.naver.com/oauth2.0/token',
} as const;

/** Every channel that is built; the others are not there. */
export function createConnectors(
  options: ConnectorOptions,
): Partial<Record<ChannelType, Connector>> {
  const { budget, clock, http = {}, releasers } = options;
  const baseUrls = { ...BASE_URLS, ...options.baseUrls };
  const tokenUrls = { ...TOKEN_URLS, ...options.tokenUrls };
  const rules = { allowPrivateAddresses: options.allowPrivateAddresses };
  const platforms = createAgent();
  releasers.add('connections to platforms', () => platforms.destroy());
  const feeds = createAgent({ lookup: createGuardedLookup(rules) });
  releasers.add('connections to feeds', () => feeds.destroy());
  const feedHttp = createHttpClient({
    ...http,
    dispatcher: feeds,
    checkUrl: (url) => checkFeedUrlForm(url, rules),
  });
  return {
    SOCIAL_ADS: createSocialAdsConnector({
      http: createHttpClient({ ...http, dispatcher: platforms, isPlatformError: isGraphError }),
      baseUrl: baseUrls.SOCIAL_ADS,
      budget,
      clock,
    }),
    SEARCH_ENGINE_ADS: createSearchEngineAdsConnector({
      http: createHttpClient({ ...http, dispatcher: platforms, isPlatformError: isSearchError }),
      baseUrl: baseUrls.SEARCH_ENGINE_ADS,
      tokenUrl: tokenUrls.SEARCH_ENGINE_ADS,
      budget,
      accessTokens: options.accessTokens,
      clock,
    }),
    PORTAL1_SEARCH_AD: createSearchAdConnector({
      http: createHttpClient({ ...http, dispatcher: platforms, isPlatformError: isSearchAdError }),
      baseUrl: baseUrls.PORTAL1_SEARCH_AD,
      budget,
      clock,
    }),
    PORTAL2_KEYWORD: createPortal2KeywordConnector({
      http: createHttpClient({ ...http, dispatcher: platforms, isPlatformError: isPortal2Error }),
      baseUrl: baseUrls.PORTAL2_KEYWORD,
      budget,
      clock,
    }),
    PORTAL1_DA: createPortal1DaConnector({
      http: createHttpClient({ ...http, dispatcher: platforms, isPlatformError: isPortal1DaError }),
      feedHttp,
      baseUrl: baseUrls.PORTAL1_DA,
      tokenUrl: tokenUrls.PORTAL1_DA,
      budget,
      accessTokens: options.accessTokens,
      clock,
    }),
    PORTAL2_DISPLAY: createPortal2DisplayConnector({
      http: createHttpClient({ ...http, dispatcher: platforms, isPlatformError: isPortal2Error }),
      baseUrl: baseUrls.PORTAL2_DISPLAY,
      budget,
      clock,
    }),
    PORTAL1_BLOG: createPortal1BlogConnector({ http: feedHttp, budget, clock }),
  };
}

/** Allowance of one budget key: calls at once, and how fast they come back. */
export interface CallLimit {
  burst: number;
  perHour: number;
}

/**
 * The platforms' allowances by the first and last part of a budget key. They are a start: usage headers and errors
 * block a key earlier. Platform 1 grants an account 600 insights calls an hour and 400 more per active ad, so an account
 * that delivers has 1,000 at least; lists 300. Platform 2 grants an app with basic access 15,000 operations a day: burst and
 * 24 hours together are 14,400 in any 24 hours.
 * Platform 3 counts by the second, about 10 for reports and 15 for the rest: a burst and what comes back in its second
 * stay below.
 * Platform 4 counts 5 reports a second and account; two a second with bursts of two stay below that. Platform 5 wants
 * 5 seconds (ad groups: 1) between two reports, which its connector also counts from the answers; lists are not limited,
 * so theirs only keeps us from flooding it.
 */
const CALL_LIMITS: Readonly<Record<string, CallLimit>> = {
  'SOCIAL_ADS/insights': { burst: 300, perHour: 700 },
  'SOCIAL_ADS/lists': { burst: 60, perHour: 300 },
  'PORTAL1_SEARCH_AD/reports': { burst: 2, perHour: 7 * 3_600 },
  'PORTAL1_SEARCH_AD/lists': { burst: 5, perHour: 9 * 3_600 },
  'PORTAL2_KEYWORD/reports': { burst: 2, perHour: 7_200 },
  'PORTAL2_KEYWORD/lists': { burst: 4, perHour: 14_400 },
  // No number is published. Known clients pause a second between calls: one a second for all accounts of an application.
  'PORTAL1_DA/api': { burst: 10, perHour: 3_600 },
  'PORTAL1_DA/token': { burst: 20, perHour: 1_200 },
  // A feed is its owner's own server.
  'PORTAL1_DA/feed': { burst: 30, perHour: 3_600 },
  'PORTAL2_DISPLAY/reports': { burst: 1, perHour: 705 },
  'PORTAL2_DISPLAY/reportsWindow': { burst: 1, perHour: 3_600 },
  'PORTAL2_DISPLAY/adGroupReports': { burst: 1, perHour: 3_400 },
  'PORTAL2_DISPLAY/adGroupReportsWindow': { burst: 1, perHour: 3_600 },
  'PORTAL2_DISPLAY/lists': { burst: 600, perHour: 18_000 },
  'SEARCH_ENGINE_ADS/operations': { burst: 2_400, perHour: 500 },
  'SEARCH_ENGINE_ADS/requests': { burst: 100, perHour: 3_600 },
  'SEARCH_ENGINE_ADS/token': { burst: 20, perHour: 600 },
  'PORTAL1_BLOG/feed': { burst: 10, perHour: 600 },
};

/** The allowance of a budget key such as `SOCIAL_ADS/<app>/<account>/insights`. */
export function callLimitOf(key: string): CallLimit {
  const parts = key.split('/');
  const limit = CALL_LIMITS[`${parts[0]}/${parts.at(-1)}`];
  if (!limit) throw new RangeError(`No call limit for the budget key '${key}'`);
  return limit;
}
