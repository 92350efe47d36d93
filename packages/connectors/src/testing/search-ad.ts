import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { CHANNELS, findSource } from '@tributary/shared';
import type { PendingReport } from '../connector.ts';
import { createAgent } from '../http/agent.ts';
import { createHttpClient } from '../http/http-client.ts';
import { isSearchAdError, type SearchAdAccess } from '../portal1-search-ad/client.ts';
import { createSearchAdConnector } from '../portal1-search-ad/index.ts';
import type { SearchAdSettings } from '../portal1-search-ad/schema.ts';
import { type ContractSubject, drain } from './contract.ts';
import { json, type Seen } from './scripted-server.ts';
import { usePlatform } from './use-platform.ts';

export const CUSTOMER = '1234567';
export const ACCOUNT = { id: CUSTOMER, zone: 'Asia/Seoul', currency: 'KRW' };
export const NOW = Date.UTC(2026, 10, 21, 12);
export const DAY = '2026-11-18';
export const CREDENTIALS = { customerId: CUSTOMER, apiKey: '0100-key', secretKey: 'AQAA-secret' };
export const CAMPAIGN = 'cmp-a001-01-000000000000001';
export const GROUPS = ['grp-a001-01-000000000000011', 'grp-a001-01-000000000000012'] as const;

/** A file as the platform sends it. */
export function fixture(name: string): string {
  return readFileSync(join(__dirname, '../portal1-search-ad/fixtures', `${name}.tsv`), 'utf8');
}

export function source(id: string) {
  const found = findSource(CHANNELS.PORTAL1_SEARCH_AD, id);
  if (!found) throw new Error(`No source ${id}`);
  return found;
}

export function openSearchAd(deps: Parameters<ContractSubject['open']>[0]) {
  const agent = createAgent();
  const http = createHttpClient({
    dispatcher: agent,
    repeatWaitMs: 5,
    isPlatformError: isSearchAdError,
  });
  const patience = { firstPollMs: 5, patienceMs: 200 };
  return {
    connector: createSearchAdConnector({ ...deps, http, patience }),
    close: () => agent.destroy(),
  };
}

export function access(settings: Partial<SearchAdSettings> = {}): SearchAdAccess {
  return {
    link: 'link1',
    credentials: CREDENTIALS,
    settings: { historyDays: 400, conversionKinds: ['purchase'], ...settings },
    signal: new AbortController().signal,
  };
}

/** The platform's jobs: `files` by report type, undefined = NONE; statuses are told one after the other. */
export function createJobs(
  files: Readonly<Record<string, string | undefined>>,
  { statuses = [] as readonly string[], numbered = false } = {},
) {
  const jobs = new Map<string, { type: string; polls: number }>();
  let last = 100;
  const told = (id: string, status: string) => ({
    reportJobId: numbered ? Number(id) : id,
    reportTp: jobs.get(id)?.type ?? 'AD',
    statDt: '2026-11-17T15:00:00Z',
    status,
    downloadUrl:
      status === 'BUILT'
        ? `https://elsewhere.example/report-download?authtoken=t${id}&fileVersion=v2`
        : '',
    regTm: '2026-11-21T11:59:00Z',
  });
  return {
    jobs,
    /** What is asked before a download; true when it was answered. */
    prelude({ method, url, body }: Seen, res: ServerResponse): boolean {
      const [, first, id = ''] = url.pathname.split('/');
      if (first !== 'stat-reports') return false;
      const job = jobs.get(id);
      if (method === 'POST') {
        last += 1;
        jobs.set(String(last), { type: JSON.parse(body).reportTp, polls: 0 });
        json(res, told(String(last), 'REGIST'));
      } else if (id === '')
        json(
          res,
          [...jobs.keys()].map((one) => told(one, 'BUILT')),
        );
      else if (!job) json(res, { code: 1001, status: 404, title: 'Not found', detail: '' }, 404);
      else if (method === 'DELETE') {
        jobs.delete(id);
        res.writeHead(204).end();
      } else {
        const ready = files[job.type] === undefined ? 'NONE' : 'BUILT';
        json(res, told(id, statuses[job.polls] ?? ready));
        job.polls += 1;
      }
      return true;
    },
    /** The file that a download asks for. */
    fileOf({ url }: Seen): string | undefined {
      const id = url.searchParams.get('authtoken')?.slice(1) ?? '';
      return files[jobs.get(id)?.type ?? ''];
    },
  };
}

export type Jobs = ReturnType<typeof createJobs>;

/** Answers by ids: what the files name by id only. */
export function answerLists({ url }: Seen, res: ServerResponse): boolean {
  const ids = url.searchParams.get('ids')?.split(',') ?? [];
  switch (url.pathname) {
    case '/ncc/keywords':
      json(
        res,
        ids
          .filter((id) => !id.endsWith('9'))
          .map((id) => ({ nccKeywordId: id, keyword: `운동화 ${id.slice(-1)}` })),
      );
      return true;
    case '/ncc/adgroups':
      json(
        res,
        ids
          .filter((id) => GROUPS.some((group) => group === id))
          .map((id) => ({ nccAdgroupId: id, nccCampaignId: CAMPAIGN, status: 'DELETED' })),
      );
      return true;
    case '/ncc/criterion-dictionary/RL':
      json(res, [{ type: 'RL', dictionaryCode: 'RL09', name: '서울특별시' }]);
      return true;
    default:
      return false;
  }
}

/** A connector of PORTAL1_SEARCH_AD against a scripted platform, new for each test of the file. */
export function useSearchAd() {
  const platform = usePlatform(openSearchAd, NOW);
  const { server, connector } = platform;
  const reports: PendingReport[] = [];
  beforeEach(() => {
    reports.splice(0);
  });
  return {
    ...platform,
    reports,
    /** Serves jobs, downloads and lists. */
    serve(jobs: Jobs) {
      server().answer((seen, res) => {
        if (jobs.prelude(seen, res) || answerLists(seen, res)) return;
        const file = jobs.fileOf(seen);
        if (file === undefined) json(res, { code: 1001, status: 404, title: 'Not found' }, 404);
        else res.end(file);
      });
    },
    collect: (
      id: string,
      more: { day?: string; report?: PendingReport; settings?: Partial<SearchAdSettings> } = {},
    ) => {
      const { day = DAY, report, settings } = more;
      return drain(
        connector().collect({
          ...access(settings),
          account: ACCOUNT,
          source: source(id),
          from: day,
          to: day,
          onReport: async (told) => {
            reports.push(told);
          },
          ...(report && { report }),
        }),
      );
    },
  };
}
