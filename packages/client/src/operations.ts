// Written by `npm run client` from the OpenAPI document.

export type AdStatistics = { date: string; data: DataObject };

export type BlogStatistics = {
  date: string;
  data: {
    visit_pv_cnt: number;
    uv_cnt: number;
    visit_cnt: number;
    referer: Array<{
      title: string;
      percent: string;
      detail: Array<{ title: string; percent: string }>;
    }>;
    rank_pv: Array<{ rank: number; title: string; views: number; type: string; date: string }>;
    average_duration: number;
    relation_dist: { both_way_neighborhood: number; one_way_neighborhood: number; other: number };
  };
};

export type Change = {
  at: string;
  id: string;
  account: string;
  level: 'adAccount' | 'campaign' | 'adGroup' | 'ad' | 'blog';
  days: Array<string>;
};

export type Changes = { changes: Array<Change>; cursor: string; more: boolean };

export type Comment = {
  idx: number;
  key: string;
  title: string;
  contents: string;
  cdate: string;
  udate: string;
};

export type DataObject = {
  impressions: number;
  clicks: number;
  conversions: number | null;
  amount: number | null;
  spend: number;
  reach: number | null;
  ppc: number | null;
  rimp: number | null;
  ctr: number;
  cpc: number;
  cpm: number;
};

export type Entity = {
  id: string;
  title: string;
  level: 'adAccount' | 'campaign' | 'adGroup' | 'ad';
  status: 'active' | 'paused' | 'removed' | 'closed' | 'unknown';
  parent: string;
};

export type ImportResult = {
  rows: number;
  days: { stored: number; unchanged: number; rejected: number };
  rejectedDays: Array<string>;
  errorCount: number;
  errors: Array<{ row: number; field?: string; message: string }>;
};

export type Link = {
  id: string;
  title: string;
  status: 'Linking' | 'Completed' | 'Disconnect';
  type:
    | 'SOCIAL_ADS'
    | 'PORTAL1_SEARCH_AD'
    | 'SEARCH_ENGINE_ADS'
    | 'PORTAL2_KEYWORD'
    | 'PORTAL2_DISPLAY'
    | 'PORTAL1_DA'
    | 'PORTAL1_BLOG';
  tag: string;
  child?: Array<{
    id: string;
    title: string;
    level: 'adAccount' | 'campaign';
    status: 'active' | 'paused' | 'removed' | 'closed' | 'unknown';
    child?: Array<{
      id: string;
      title: string;
      level: 'adAccount' | 'campaign';
      status: 'active' | 'paused' | 'removed' | 'closed' | 'unknown';
    }>;
  }>;
};

export type LinkCoverage = {
  id: string;
  status: 'Linking' | 'Completed' | 'Disconnect';
  reason: { code: string; message: string } | null;
  pausedSince?: string;
  from: string;
  to: string;
  days: { wanted: number; collected: number; final: number };
  accounts: Array<{
    id: string;
    title: string;
    zone: string;
    currency: string;
    status: 'active' | 'paused' | 'removed' | 'closed' | 'unknown';
    notGiven?: Array<{
      levels: Array<'adAccount' | 'campaign' | 'adGroup' | 'ad'>;
      list?: string;
      metrics?: Array<'conversions' | 'amount' | 'reach' | 'ppc' | 'rimp'>;
      code: 'not_supported' | 'no_feed';
      detail: string;
    }>;
    upstreamChanges?: Array<{
      source: string;
      list: string;
      metric?: 'impressions' | 'clicks' | 'conversions' | 'amount' | 'spend' | 'rimp' | 'reach';
      since: string;
    }>;
    days: Array<{
      date: string;
      state: 'missing' | 'partial' | 'provisional' | 'final';
      parts?: Array<{
        level: string;
        list: string;
        metrics?: Array<
          'impressions' | 'clicks' | 'conversions' | 'amount' | 'spend' | 'rimp' | 'reach'
        >;
        code?: string;
        detail?: string;
        nextAttemptAt?: string;
      }>;
      gaps?: Array<{
        level: 'adAccount' | 'campaign' | 'adGroup' | 'ad';
        above: 'adAccount' | 'campaign' | 'adGroup' | 'ad';
        lag?: true;
        metrics: Partial<
          Record<
            'impressions' | 'clicks' | 'conversions' | 'amount' | 'spend' | 'rimp' | 'reach',
            number
          >
        >;
      }>;
    }>;
  }>;
};

export type LinkHealth = {
  id: string;
  healthy: boolean;
  status: 'Linking' | 'Completed' | 'Disconnect';
  reason: { code: string; message: string } | null;
  since: string | null;
  paused: boolean;
  pausedSince: string | null;
  nextPlanAt: string | null;
  problems: Array<{
    code:
      | 'disconnected'
      | 'accounts_unreadable'
      | 'account_failing'
      | 'source_failing'
      | 'poisoned'
      | 'waiting'
      | 'account_closed'
      | 'figures_frozen';
    severity: 'error' | 'notice';
    cause?: string;
    message: string;
    account?: string;
    source?: string;
    lane?: 'fresh' | 'bulk';
    since?: string;
    nextAttemptAt?: string;
  }>;
  problemCount: number;
  accounts: Array<{
    id: string;
    title: string;
    status: 'active' | 'paused' | 'removed' | 'closed' | 'unknown';
    zone: string;
    currency: string;
    frozenBefore: string | null;
    lastReadAt: string | null;
    working: boolean;
    nextPlanAt: string | null;
    failing: {
      asOf: string | null;
      sources: Array<{
        source: string;
        code: string;
        detail: string;
        cells: number;
        from: string;
        to: string;
        nextAttemptAt: string | null;
      }>;
    };
    quiet: Array<{ lane: 'fresh' | 'bulk'; until: string; code: string; detail: string }>;
    budget: { waitsUntil: string | null };
  }>;
};

export type LinkSchedule = {
  id: string;
  paused: boolean;
  pausedSince: string | null;
  historyDays: number;
  nextPlanAt: string | null;
  accounts: Array<{ id: string; historyFrom: string; nextPlanAt: string | null }>;
};

export type Portal1DaDay = {
  date: string;
  total: DataObject;
  age: Array<{ age: string; data: DataObject }>;
  gender: Array<{ gender: string; data: DataObject }>;
  hour: Array<{ hour: string; data: DataObject }>;
  devicePlatform: Array<{ devicePlatform: string; data: DataObject }>;
  publisherGroup: Array<{ publisherGroup: string; data: DataObject }>;
  placementGroup: Array<{ placementGroup: string; data: DataObject }>;
};

export type Portal1SearchAdDay = {
  date: string;
  total: DataObject;
  age: Array<{ age: string; data: DataObject }>;
  gender: Array<{ gender: string; data: DataObject }>;
  keyword: Array<{ keyword: string; data: DataObject }>;
  region: Array<{ region: string; data: DataObject }>;
  device: Array<{ device: string; data: DataObject }>;
  hour: Array<{ hour: string; data: DataObject }>;
};

export type Portal2DisplayDay = {
  date: string;
  total: DataObject;
  device: Array<{ device: string; data: DataObject }>;
  placement: Array<{ placement: string; data: DataObject }>;
  age: Array<{ age: string; data: DataObject }>;
  gender: Array<{ gender: string; data: DataObject }>;
  region: Array<{ region: string; data: DataObject }>;
  hour: Array<{ hour: string; data: DataObject }>;
};

export type Portal2KeywordDay = {
  date: string;
  total: DataObject;
  device: Array<{ device: string; data: DataObject }>;
  hour: Array<{ hour: string; data: DataObject }>;
  placement: Array<{ placement: string; data: DataObject }>;
  keyword: Array<{ keyword: string; data: DataObject }>;
};

export type Problem = {
  type: string;
  title: string;
  status: number;
  detail: string;
  code:
    | 'invalid_request'
    | 'range_too_large'
    | 'unauthenticated'
    | 'forbidden'
    | 'not_found'
    | 'link_not_found'
    | 'entity_not_found'
    | 'comment_not_found'
    | 'method_not_allowed'
    | 'not_acceptable'
    | 'request_timeout'
    | 'wrong_channel'
    | 'not_collected'
    | 'conflict'
    | 'cursor_expired'
    | 'precondition_failed'
    | 'payload_too_large'
    | 'uri_too_long'
    | 'unsupported_media_type'
    | 'idempotency_mismatch'
    | 'rate_limited'
    | 'headers_too_large'
    | 'internal'
    | 'not_yet_available'
    | 'unavailable';
  requestId: string;
  errors: Array<{ in: 'query' | 'body' | 'header' | 'path'; name: string; message: string }>;
};

export type RefreshRun = {
  id: string;
  askedAt: string;
  from: string;
  to: string;
  links: Array<{
    id: string;
    status: 'Linking' | 'Completed' | 'Disconnect';
    reason: { code: string; message: string } | null;
    paused?: true;
  }>;
  percent: number;
  planned: number;
  done: number;
  failed: number;
  nextAttemptAt: string | null;
  failures: Array<{
    link: string;
    account: string;
    date: string;
    source: string;
    code?: string;
    detail?: string;
    nextAttemptAt?: string;
  }>;
};

export type Revision = {
  date: string;
  level: 'adAccount' | 'campaign' | 'adGroup' | 'ad' | 'blog';
  entity: string;
  at: string;
  before: Record<string, number | null>;
  after: Record<string, number | null>;
};

export type SearchEngineAdsDay = {
  date: string;
  total: DataObject;
  age: Array<{ age: string; data: DataObject }>;
  gender: Array<{ gender: string; data: DataObject }>;
  device: Array<{ device: string; data: DataObject }>;
  region: Array<{ region: string; data: DataObject }>;
  hour: Array<{ hour: string; data: DataObject }>;
  keyword: Array<{ keyword: string; data: DataObject }>;
};

export type SocialAdsDay = {
  date: string;
  total: DataObject;
  age: Array<{ age: string; data: DataObject }>;
  gender: Array<{ gender: string; data: DataObject }>;
  country: Array<{ country: string; data: DataObject }>;
  region: Array<{ region: string; data: DataObject }>;
  device: Array<{ device: string; data: DataObject }>;
  hour: Array<{ hour: string; data: DataObject }>;
};

export type Statistics = {
  date: string;
  data:
    | { SOCIAL_ADS: Array<SocialAdsDay> }
    | { PORTAL1_SEARCH_AD: Array<Portal1SearchAdDay> }
    | { SEARCH_ENGINE_ADS: Array<SearchEngineAdsDay> }
    | { PORTAL2_KEYWORD: Array<Portal2KeywordDay> }
    | { PORTAL2_DISPLAY: Array<Portal2DisplayDay> }
    | { PORTAL1_DA: Array<Portal1DaDay> };
};

/** What each operation takes and answers. */
export interface Operations {
  /**
   * Daily statistics and breakdown lists of an ad account.
   *
   * One object for each collected day, ascending; a day that is not collected is absent, a day without delivery has zeros. Every list adds up to the total: what the platform attributes to none of its values is the entry `unattributed`. A metric is null where the platform does not tell it. The headers `Data-State`, `Data-As-Of` and `Data-Missing` say how complete the answer is.
   *
   * Scope: `read`.
   */
  getDataAdAccount: {
    input: {
      /** Id of the linked data record */
      id: string;
      /** The platform's id of the ad account, campaign, ad group or ad */
      value: string;
      /** First day, YYYY-MM-DD, in the time zone of the account */
      start: string;
      /** Last day, YYYY-MM-DD; at most 400 days from `start` */
      end: string;
    };
    answer: Statistics;
  };
  /**
   * Daily statistics and breakdown lists of a campaign.
   *
   * One object for each collected day, ascending; a day that is not collected is absent, a day without delivery has zeros. Every list adds up to the total: what the platform attributes to none of its values is the entry `unattributed`. A metric is null where the platform does not tell it. The headers `Data-State`, `Data-As-Of` and `Data-Missing` say how complete the answer is.
   *
   * Scope: `read`.
   */
  getDataCampaign: {
    input: {
      /** Id of the linked data record */
      id: string;
      /** The platform's id of the ad account, campaign, ad group or ad */
      value: string;
      /** First day, YYYY-MM-DD, in the time zone of the account */
      start: string;
      /** Last day, YYYY-MM-DD; at most 400 days from `start` */
      end: string;
    };
    answer: Statistics;
  };
  /**
   * Daily statistics and breakdown lists of an ad group.
   *
   * One object for each collected day, ascending; a day that is not collected is absent, a day without delivery has zeros. Every list adds up to the total: what the platform attributes to none of its values is the entry `unattributed`. A metric is null where the platform does not tell it. The headers `Data-State`, `Data-As-Of` and `Data-Missing` say how complete the answer is.
   *
   * Scope: `read`.
   */
  getDataAdGroup: {
    input: {
      /** Id of the linked data record */
      id: string;
      /** The platform's id of the ad account, campaign, ad group or ad */
      value: string;
      /** First day, YYYY-MM-DD, in the time zone of the account */
      start: string;
      /** Last day, YYYY-MM-DD; at most 400 days from `start` */
      end: string;
    };
    answer: Statistics;
  };
  /**
   * Statistics of one ad, summed over the range.
   *
   * One object over the collected days of the range. Reach counts people and is never summed: over several days it is null.
   *
   * Scope: `read`.
   */
  getDataAds: {
    input: {
      /** Id of the linked data record */
      id: string;
      /** The platform's id of the ad account, campaign, ad group or ad */
      value: string;
      /** First day, YYYY-MM-DD, in the time zone of the account */
      start: string;
      /** Last day, YYYY-MM-DD; at most 400 days from `start` */
      end: string;
    };
    answer: AdStatistics;
  };
  /**
   * Statistics of a blog over the range.
   *
   * `uv_cnt` counts visitors and is never summed: over several days it is the largest of the days, which is a true lower bound.
   *
   * Scope: `read`.
   */
  getDataBlogPortal1: {
    input: {
      /** Id of the linked data record */
      id: string;
      /** First day, YYYY-MM-DD, in the time zone of the account */
      start: string;
      /** Last day, YYYY-MM-DD; at most 400 days from `start` */
      end: string;
    };
    answer: BlogStatistics;
  };
  /**
   * Comments, ordered by number.
   *
   * Without `limit` and `cursor` the whole list; with one of them a page, and the `Link` header names the next one.
   *
   * Scope: `read`.
   */
  getComment: {
    input: {
      /** Tag key of the comment */
      key?: string | undefined;
      /** Entries of a page, 1 to 500 */
      limit?: string | number | undefined;
      /** Where a page begins: from the answer before, to the same question */
      cursor?: string | undefined;
    };
    answer: Array<Comment>;
  };
  /**
   * Files a comment under a tag key.
   *
   * Scope: `write`.
   */
  postComment: {
    input: {
      body: { key: string; title: string; contents: string };
    };
    answer: Comment;
  };
  /**
   * Changes title and contents of a comment.
   *
   * With `If-Match: "<udate>"`, the `udate` of the comment as it was read, nothing is done to one that was changed since: 412.
   *
   * Scope: `write`.
   */
  putComment: {
    input: {
      body: { key: string; idx: string | number; title: string; contents: string };
    };
    answer: Comment;
  };
  /**
   * Deletes a comment.
   *
   * With `If-Match: "<udate>"`, the `udate` of the comment as it was read, nothing is done to one that was changed since: 412.
   *
   * Scope: `write`.
   */
  deleteComment: {
    input: {
      /** Tag key of the comment */
      key: string;
      /** Number of the comment */
      idx: string | number;
    };
    answer: undefined;
  };
  /**
   * Linked data records, by creation.
   *
   * Without `tag` all records, with a blank one those without a tag. Without `limit` and `cursor` the whole list; with one of them a page, and the `Link` header names the next one.
   *
   * Scope: `read`.
   */
  getLink: {
    input: {
      /** Advertiser tag */
      tag?: string | undefined;
      /** Entries of a page, 1 to 500 */
      limit?: string | number | undefined;
      /** Where a page begins: from the answer before, to the same question */
      cursor?: string | undefined;
    };
    answer: Array<Link>;
  };
  /**
   * Links a channel.
   *
   * The record is Linking until the credentials have worked and the entities are known. Credentials are stored sealed and never sent back.
   *
   * Scope: `write`.
   */
  postLink: {
    input: {
      body:
        | {
            type: 'SOCIAL_ADS';
            title: string;
            tag?: string | undefined;
            credentials: {
              accessToken: string;
              appId?: string | undefined;
              appSecret?: string | undefined;
            };
            settings?:
              | {
                  historyDays?: number | undefined;
                  timezone?: string | undefined;
                  currency?: string | undefined;
                  accountIds?: Array<string> | undefined;
                  conversion?: string | undefined;
                }
              | undefined;
          }
        | {
            type: 'PORTAL1_SEARCH_AD';
            title: string;
            tag?: string | undefined;
            credentials: { customerId: string; apiKey: string; secretKey: string };
            settings?:
              | {
                  historyDays?: number | undefined;
                  timezone?: string | undefined;
                  currency?: string | undefined;
                  conversionKinds?: Array<string> | undefined;
                }
              | undefined;
          }
        | {
            type: 'SEARCH_ENGINE_ADS';
            title: string;
            tag?: string | undefined;
            credentials: {
              clientId: string;
              clientSecret: string;
              refreshToken: string;
              developerToken?: string | undefined;
              loginCustomerId?: string | undefined;
            };
            settings?:
              | {
                  historyDays?: number | undefined;
                  timezone?: string | undefined;
                  currency?: string | undefined;
                  customerIds?: Array<string> | undefined;
                }
              | undefined;
          }
        | {
            type: 'PORTAL2_KEYWORD';
            title: string;
            tag?: string | undefined;
            credentials: { businessToken: string };
            settings?:
              | {
                  historyDays?: number | undefined;
                  timezone?: string | undefined;
                  currency?: string | undefined;
                  adAccountIds?: Array<string> | undefined;
                  conversionWindowDays?: 1 | 7 | undefined;
                  dimensions?:
                    | {
                        device?: string | undefined;
                        hour?: string | undefined;
                        placement?: string | undefined;
                      }
                    | undefined;
                }
              | undefined;
          }
        | {
            type: 'PORTAL2_DISPLAY';
            title: string;
            tag?: string | undefined;
            credentials: { businessToken: string; appId?: string | undefined };
            settings?:
              | {
                  historyDays?: number | undefined;
                  timezone?: string | undefined;
                  currency?: string | undefined;
                  adAccountIds?: Array<string> | undefined;
                  conversionWindowDays?: 1 | 7 | undefined;
                }
              | undefined;
          }
        | {
            type: 'PORTAL1_DA';
            title: string;
            tag?: string | undefined;
            credentials: {
              clientId: string;
              clientSecret: string;
              refreshToken: string;
              accessManagerId?: string | undefined;
              feedToken?: string | undefined;
            };
            settings?:
              | {
                  historyDays?: number | undefined;
                  timezone?: string | undefined;
                  currency?: string | undefined;
                  adAccountIds?: Array<string> | undefined;
                  feedUrl?: string | undefined;
                }
              | undefined;
          }
        | {
            type: 'PORTAL1_BLOG';
            title: string;
            tag?: string | undefined;
            credentials: { feedToken?: string | undefined };
            settings?:
              | {
                  historyDays?: number | undefined;
                  timezone?: string | undefined;
                  currency?: string | undefined;
                  feedUrl?: string | undefined;
                }
              | undefined;
          };
    };
    answer: Link;
  };
  /**
   * Renames or tags a record.
   *
   * A blank `tag` clears it.
   *
   * Scope: `write`.
   */
  putLink: {
    input: {
      /** Id of the linked data record */
      id: string;
      /** Name of the record */
      title?: string | undefined;
      /** Advertiser tag */
      tag?: string | undefined;
    };
    answer: Link;
  };
  /**
   * Deletes a record with its credentials and statistics.
   *
   * Scope: `write`.
   */
  deleteLink: {
    input: {
      /** Id of the linked data record */
      id: string;
    };
    answer: undefined;
  };
  /**
   * Connects a record anew.
   *
   * What was collected stays.
   *
   * Scope: `write`.
   */
  putLinkCredentials: {
    input: {
      /** Id of the linked data record */
      id: string;
      body: { credentials: Record<string, unknown> };
    };
    answer: Link;
  };
  /**
   * Ad accounts, campaigns, ad groups or ads of a record.
   *
   * At most 500 a page; the `Link` header names the next one.
   *
   * Scope: `read`.
   */
  getLinkEntities: {
    input: {
      /** Id of the linked data record */
      id: string;
      /** Level of the entities */
      level: 'adAccount' | 'campaign' | 'adGroup' | 'ad';
      /** Id one level up */
      parent?: string | undefined;
      /** Entries of a page, 1 to 500 */
      limit?: string | number | undefined;
      /** Where a page begins: from the answer before, to the same question */
      cursor?: string | undefined;
    };
    answer: Array<Entity>;
  };
  /**
   * How far a record is collected, by account and day.
   *
   * Scope: `read`.
   */
  getLinkCoverage: {
    input: {
      /** Id of the linked data record */
      id: string;
      /** First day, YYYY-MM-DD, in the time zone of the account */
      start: string;
      /** Last day, YYYY-MM-DD; at most 400 days from `start` */
      end: string;
    };
    answer: LinkCoverage;
  };
  /**
   * How a record is, and why not better.
   *
   * What fails now, why, and when it is tried again: of the record, its accounts and their sources. `healthy` is false when wanted figures do not come.
   * `budget.waitsUntil` is the wait that a platform asked for; how many calls are left of a platform's budget is not known.
   *
   * Scope: `read`.
   */
  getLinkHealth: {
    input: {
      /** Id of the linked data record */
      id: string;
    };
    answer: LinkHealth;
  };
  /**
   * When and how far back a record is collected.
   *
   * Scope: `read`.
   */
  getLinkSchedule: {
    input: {
      /** Id of the linked data record */
      id: string;
    };
    answer: LinkSchedule;
  };
  /**
   * Pauses or resumes a record, or says how far back days are wanted.
   *
   * While a record is paused nothing of it is planned and no platform is called; what is stored stays readable, days that are
   * missed count as missing, and refreshes and imports are refused. Resumed, it reads what was missed.
   * More `historyDays` want older days; fewer leave what is stored readable, and older days no longer count as missing.
   *
   * Scope: `write`.
   */
  putLinkSchedule: {
    input: {
      /** Id of the linked data record */
      id: string;
      body: { paused?: boolean | undefined; historyDays?: number | undefined };
    };
    answer: LinkSchedule;
  };
  /**
   * Stores the rows of a file as if the feed of the channel had given them.
   *
   * For PORTAL1_BLOG (`days`) and PORTAL1_DA (`rows`), at most 100 MB. All or nothing for each day: a day with a faulty row is not stored, the others are.
   *
   * Scope: `write`.
   */
  postLinkImport: {
    input: {
      /** Id of the linked data record */
      id: string;
      body: string | Uint8Array<ArrayBuffer> | Blob;
      contentType: 'application/json' | 'text/csv';
    };
    answer: ImportResult;
  };
  /**
   * Final totals that changed all the same.
   *
   * Before and after, by day, then time. Kept for 400 days. Without `limit` and `cursor` the whole list; with one of them a page, and the `Link` header names the next one.
   *
   * Scope: `read`.
   */
  getLinkRevisions: {
    input: {
      /** Id of the linked data record */
      id: string;
      /** Level of the entities */
      level?: 'adAccount' | 'campaign' | 'adGroup' | 'ad' | undefined;
      /** Entries of a page, 1 to 500 */
      limit?: string | number | undefined;
      /** Where a page begins: from the answer before, to the same question */
      cursor?: string | undefined;
      /** First day, YYYY-MM-DD, in the time zone of the account */
      start: string;
      /** Last day, YYYY-MM-DD; at most 400 days from `start` */
      end: string;
    };
    answer: Array<Revision>;
  };
  /**
   * Has days read again now.
   *
   * For one link, all with a tag or all of a channel; without a range the last three days. Workers pick the run up from the database. The same again is the same run within a minute, and while nothing of it was tried yet; something else of a link has to wait for a minute. Paused links are left out, and one alone is refused.
   *
   * Scope: `refresh`.
   */
  postRefresh: {
    input: {
      body: {
        id?: string | undefined;
        tag?: string | undefined;
        type?:
          | 'SOCIAL_ADS'
          | 'PORTAL1_SEARCH_AD'
          | 'SEARCH_ENGINE_ADS'
          | 'PORTAL2_KEYWORD'
          | 'PORTAL2_DISPLAY'
          | 'PORTAL1_DA'
          | 'PORTAL1_BLOG'
          | undefined;
        start?: string | undefined;
        end?: string | undefined;
      };
    };
    answer: RefreshRun;
  };
  /**
   * How far a refresh is.
   *
   * Scope: `refresh`.
   */
  getRefreshRun: {
    input: {
      /** Id of the refresh run */
      run: string;
    };
    answer: RefreshRun;
  };
  /**
   * What moved since: days that are worth reading again.
   *
   * In order and without gaps over all records. Changes are kept for 30 days; a cursor that is older is 410 `cursor_expired`: read everything again and begin without a cursor.
   *
   * Scope: `read`.
   */
  getChanges: {
    input: {
      /** Entries of a page, 1 to 500 */
      limit?: string | number | undefined;
      /** Where a page begins: from the answer before, to the same question */
      cursor?: string | undefined;
    };
    answer: Changes;
  };
}

/** How each operation is asked. */
export const OPERATIONS = {
  getDataAdAccount: { method: 'GET', path: '/data/adAccount', isData: true },
  getDataCampaign: { method: 'GET', path: '/data/campaign', isData: true },
  getDataAdGroup: { method: 'GET', path: '/data/adGroup', isData: true },
  getDataAds: { method: 'GET', path: '/data/ads', isData: true },
  getDataBlogPortal1: { method: 'GET', path: '/data/blog-portal1', isData: true },
  getComment: { method: 'GET', path: '/comment', isPaged: true },
  postComment: { method: 'POST', path: '/comment', isOnce: true },
  putComment: { method: 'PUT', path: '/comment', isVersioned: true },
  deleteComment: { method: 'DELETE', path: '/comment', isVersioned: true },
  getLink: { method: 'GET', path: '/link', isPaged: true },
  postLink: { method: 'POST', path: '/link', isOnce: true },
  putLink: { method: 'PUT', path: '/link' },
  deleteLink: { method: 'DELETE', path: '/link' },
  putLinkCredentials: { method: 'PUT', path: '/link/credentials' },
  getLinkEntities: { method: 'GET', path: '/link/entities', isPaged: true },
  getLinkCoverage: { method: 'GET', path: '/link/coverage' },
  getLinkHealth: { method: 'GET', path: '/link/health' },
  getLinkSchedule: { method: 'GET', path: '/link/schedule' },
  putLinkSchedule: { method: 'PUT', path: '/link/schedule' },
  postLinkImport: { method: 'POST', path: '/link/import' },
  getLinkRevisions: { method: 'GET', path: '/link/revisions', isPaged: true },
  postRefresh: { method: 'POST', path: '/refresh', isOnce: true },
  getRefreshRun: { method: 'GET', path: '/refresh/{run}' },
  getChanges: { method: 'GET', path: '/changes' },
} as const;
