import type { Clock } from '@tributary/runtime';
import { CHANNELS, CREDENTIALS_SCHEMAS, dayAt, SETTINGS_SCHEMAS } from '@tributary/shared';
import type { Connector, RateBudget } from '../connector.ts';
import type { HttpClient } from '../http/http-client.ts';
import { listAccounts } from '../portal2/accounts.ts';
import { createPortal2Client, type Portal2Access, type Portal2Deps } from '../portal2/client.ts';
import type { Portal2Credentials } from '../portal2/schema.ts';
import { collectReports } from './collect.ts';
import { createDeliveringCampaigns } from './delivering-campaigns.ts';
import { listEntities } from './entities.ts';
import { KEYWORD_RULES } from './errors.ts';
import { createKeywordBook } from './keyword-book.ts';
import type { KeywordSettings } from './schema.ts';

/** Not v4, which is the company's other platform. */
const API_PATH = '/openapi/v1';

export interface Portal2KeywordOptions {
  http: HttpClient;
  /** Without the version: `https://api.keywordad.kakao.com`. */
  baseUrl: string;
  budget: RateBudget;
  clock: Clock;
}

/** PORTAL2_KEYWORD: the platform's keyword advertising API, version 1. */
export function createPortal2KeywordConnector(
  options: Portal2KeywordOptions,
): Connector<Portal2Credentials, KeywordSettings> {
  const { clock } = options;
  const deps: Portal2Deps = {
    ...options,
    type: 'PORTAL2_KEYWORD',
    baseUrl: `${options.baseUrl.replace(/\/+$/, '')}${API_PATH}`,
    rules: KEYWORD_RULES,
    throttles: new Map(),
  };
  const reading = {
    campaigns: createDeliveringCampaigns(clock),
    book: createKeywordBook(clock),
  };
  const { defaultZone } = CHANNELS.PORTAL2_KEYWORD;
  const client = (access: Portal2Access) => createPortal2Client(deps, access);
  return {
    type: 'PORTAL2_KEYWORD',
    CredentialsSchema: CREDENTIALS_SCHEMAS.PORTAL2_KEYWORD,
    SettingsSchema: SETTINGS_SCHEMAS.PORTAL2_KEYWORD,
    listAccounts: (access) => listAccounts(deps, client(access), access),
    listEntities: (access) => {
      const today = dayAt(clock.now(), access.settings.timezone ?? defaultZone);
      return listEntities(client(access), access.account.id, today);
    },
    collect: (request) => collectReports(client(request), reading, request),
  };
}
