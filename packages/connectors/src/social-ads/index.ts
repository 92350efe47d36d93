import type { Clock } from '@tributary/runtime';
import { CREDENTIALS_SCHEMAS, SETTINGS_SCHEMAS } from '@tributary/shared';
import type { Connector, RateBudget } from '../connector.ts';
import type { HttpClient } from '../http/http-client.ts';
import { createGraphClient, type GraphAccess, type GraphDeps } from './client.ts';
import { collectInsights } from './collect.ts';
import { listAccounts, listEntities } from './entities.ts';
import { renewToken } from './renew.ts';
import type { ReportPatience } from './report.ts';
import type { SocialAdsCredentials, SocialAdsSettings } from './schema.ts';

export interface SocialAdsOptions {
  http: HttpClient;
  /** Without the version: `https://graph.facebook.com`. */
  baseUrl: string;
  budget: RateBudget;
  clock: Clock;
  reports?: ReportPatience;
}

/** SOCIAL_ADS: the platform's Marketing API, Graph version 26. */
export function createSocialAdsConnector(
  options: SocialAdsOptions,
): Connector<SocialAdsCredentials, SocialAdsSettings> {
  const { reports = { firstPollMs: 1_000, patienceMs: 30_000 } } = options;
  const deps: GraphDeps = { ...options, throttles: new Map() };
  const graph = (access: GraphAccess) => createGraphClient(deps, access);
  return {
    type: 'SOCIAL_ADS',
    CredentialsSchema: CREDENTIALS_SCHEMAS.SOCIAL_ADS,
    SettingsSchema: SETTINGS_SCHEMAS.SOCIAL_ADS,
    listAccounts: (access) => listAccounts(graph(access), access),
    listEntities: (access) => listEntities(graph(access), access, access.account.id),
    renew: (access) => renewToken(graph(access), access, options.clock.now()),
    collect: (request) => collectInsights(graph(request), request, reports),
  };
}
