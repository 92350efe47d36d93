import { addDays, type Day, type Entity, type Level } from '@tributary/shared';
import { statusOf } from '../portal2/accounts.ts';
import type { Portal2Client } from '../portal2/client.ts';
import { textOf } from '../portal2/figures.ts';
import { asFarAsTold, wholeList } from './lists.ts';
import { DELIVERY_GROUPS, type ReportQuestion, readReport } from './report.ts';
import {
  ProviderAdGroupsSchema,
  ProviderCampaignsSchema,
  ProviderCreativeLinksSchema,
  ProviderCreativePageSchema,
} from './schema.ts';

const CREATIVES_PAGE_ROWS = 1_000;
const CREATIVES_PAGES_MAX = 200;
/** A report by month spans 12 months, and the platform keeps 2 years. */
const REPORT_DAYS = 365;

/**
 * An account's campaigns, ad groups and ads (the links of creatives), removed ones included, page by page. The lists know
 * only one kind of campaigns; the others, which the reports tell all the same, are found there: by id, without a name.
 */
export async function* listEntities(
  client: Portal2Client,
  account: string,
  today: Day,
): AsyncGenerator<Entity[]> {
  for await (const entities of entityPages(client, account, today)) {
    if (entities.length > 0) yield entities;
  }
}

async function* entityPages(
  client: Portal2Client,
  account: string,
  today: Day,
): AsyncGenerator<Entity[]> {
  const campaigns = await wholeList(
    client,
    { path: 'campaigns', params: {}, account },
    ProviderCampaignsSchema,
  );
  yield campaigns.map((one) => entityOf('c', account, one));
  const titles = await creativeTitles(client, account, campaigns);
  for (const { id } of campaigns) yield* listBelow(client, { account, campaign: id, titles });
  const listed = new Set(campaigns.map(({ id }) => id));
  yield* listUnlisted(client, { account, today, listed });
}

interface Below {
  account: string;
  campaign: string;
  titles: ReadonlyMap<string, string>;
}

async function* listBelow(
  client: Portal2Client,
  { account, campaign, titles }: Below,
): AsyncGenerator<Entity[]> {
  const adGroups = await wholeList(
    client,
    { path: 'adGroups', params: { campaignId: campaign }, account },
    ProviderAdGroupsSchema,
  );
  yield adGroups.map((one) => entityOf('g', campaign, one));
  for (const { id: adGroup } of adGroups) {
    const links = await wholeList(
      client,
      { path: 'creativeLinks', params: { adGroupId: adGroup }, account },
      ProviderCreativeLinksSchema,
    );
    yield links.map(({ id, creativeId, config }) =>
      entityOf('d', adGroup, { id, name: titles.get(creativeId ?? ''), config }),
    );
  }
}

interface Listed {
  id: string;
  name?: string | null | undefined;
  config?: string | null | undefined;
}

function entityOf(level: Level, parent: string, { id, name, config }: Listed): Entity {
  return { level, id, parent, title: name || id, status: statusOf(config) };
}

/** The names of creatives, by website; what has none of them keeps its id. */
async function creativeTitles(
  client: Portal2Client,
  account: string,
  campaigns: readonly { bizChannelId?: string | null | undefined }[],
): Promise<Map<string, string>> {
  const titles = new Map<string, string>();
  const websites = new Set(campaigns.map(({ bizChannelId }) => bizChannelId));
  for (const website of websites) {
    for (let page = 0; website && page < CREATIVES_PAGES_MAX; page += 1) {
      const params = {
        bizChannelId: website,
        page: String(page),
        limit: String(CREATIVES_PAGE_ROWS),
      };
      const call = { path: 'creatives/basic', params, account, family: 'lists' };
      const answer = await asFarAsTold(client.call(call, ProviderCreativePageSchema));
      for (const { id, name } of answer?.content ?? []) if (name) titles.set(id, name);
      if ((answer?.content.length ?? 0) < CREATIVES_PAGE_ROWS) break;
    }
  }
  return titles;
}

interface Unlisted {
  account: string;
  today: Day;
  listed: ReadonlySet<string>;
}

async function* listUnlisted(
  client: Portal2Client,
  { account, today, listed }: Unlisted,
): AsyncGenerator<Entity[]> {
  const told = (path: string, field: string, campaign?: string) =>
    toldIn(client, { account, path, campaign }, { today, field });
  const unknown = [...(await told('campaigns/report', 'campaignId')).keys()];
  for (const campaign of unknown.filter((id) => !listed.has(id))) {
    yield [entityOf('c', account, { id: campaign })];
    const adGroups = await told('adGroups/report', 'adGroupId', campaign);
    yield [...adGroups.keys()].map((id) => entityOf('g', campaign, { id }));
    const links = await told('creatives/report', 'creativeLinkId', campaign);
    yield [...links].flatMap(([id, adGroup]) =>
      adGroups.has(adGroup) ? [entityOf('d', adGroup, { id })] : [],
    );
  }
}

/** The ids that the reports of two years name, each with the ad group it was named under. */
async function toldIn(
  client: Portal2Client,
  report: Pick<ReportQuestion, 'account' | 'path' | 'campaign'>,
  { today, field }: { today: Day; field: string },
): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  for (const daysAgo of [0, REPORT_DAYS]) {
    const to = addDays(today, -daysAgo);
    const from = addDays(to, 1 - REPORT_DAYS);
    const range = { from, to, timeUnit: 'MONTH', metricsGroups: DELIVERY_GROUPS } as const;
    const rows = await asFarAsTold(readReport(client, { ...report, ...range }));
    for (const { dimensions } of rows ?? []) {
      ids.set(textOf(dimensions, field), String(dimensions.adGroupId ?? ''));
    }
  }
  return ids;
}
