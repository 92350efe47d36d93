import type { Clock } from '@tributary/runtime';
import { CREDENTIALS_SCHEMAS, SETTINGS_SCHEMAS } from '@tributary/shared';
import type { Connector, RateBudget } from '../connector.ts';
import type { HttpClient } from '../http/http-client.ts';
import { listAccounts } from '../portal2/accounts.ts';
import { createPortal2Client, type Portal2Access, type Portal2Deps } from '../portal2/client.ts';
import type { Portal2Credentials } from '../portal2/schema.ts';
import { collectReport } from './collect.ts';
import { listEntities } from './entities.ts';
import { DISPLAY_RULES } from './errors.ts';
import { createRoster } from './roster.ts';
import type { Portal2DisplaySettings } from './schema.ts';

const API = 'openapi/v4';

export interface Portal2DisplayOptions {
  http: HttpClient;
  /** Without the version: `https://apis.moment.kakao.com`. */
  baseUrl: string;
  budget: RateBudget;
  clock: Clock;
}

/** PORTAL2_DISPLAY: the portal's display advertising, version 4 of its API. */
export function createPortal2DisplayConnector(
  options: Portal2DisplayOptions,
): Connector<Portal2Credentials, Portal2DisplaySettings> {
  const deps: Portal2Deps = {
    ...options,
    type: 'PORTAL2_DISPLAY',
    baseUrl: `${options.baseUrl.replace(/\/+$/, '')}/${API}`,
    rules: DISPLAY_RULES,
    throttles: new Map(),
  };
  const roster = createRoster(options.clock);
  const client = (access: Portal2Access) => createPortal2Client(deps, access);
  return {
    type: 'PORTAL2_DISPLAY',
    CredentialsSchema: CREDENTIALS_SCHEMAS.PORTAL2_DISPLAY,
    SettingsSchema: SETTINGS_SCHEMAS.PORTAL2_DISPLAY,
    listAccounts: (access) => listAccounts(deps, client(access), access),
    listEntities: (access) => listEntities(client(access), access.account.id),
    collect: (request) => collectReport({ ...options, roster }, client(request), request),
  };
}
