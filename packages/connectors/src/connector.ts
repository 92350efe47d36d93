import type { ChannelAccount, ChannelType, Day, Entity, Observed, Source } from '@tributary/shared';
import type { z } from 'zod';

/** What every call to a platform needs of the link it is made for. */
export interface LinkAccess<Credentials = unknown, Settings = unknown> {
  /** The link's id: budgets and token locks are kept per link or finer. */
  link: string;
  credentials: Credentials;
  settings: Settings;
  /** Aborts the call: the turn's deadline, or the process is stopping. */
  signal: AbortSignal;
}

/** A platform report that is being made: its id is stored before it is first polled, so it is created once. */
export interface PendingReport {
  id: string;
  from: Day;
  to: Day;
}

export interface CollectRequest<Credentials = unknown, Settings = unknown>
  extends LinkAccess<Credentials, Settings> {
  account: { id: string; zone: string; currency: string };
  source: Source;
  from: Day;
  to: Day;
  /** About how many rows the window will have (`rowsPerDay` x days): large ones go through a platform report. */
  rowsExpected?: number;
  /**
   * The report that an earlier turn created for this source; go on with it when it is for this window.
   * After a `report_failed` it is dead and must not be given again; after any other error it is still good.
   */
  report?: PendingReport;
  /** Called and awaited before a new report is first polled. */
  onReport(report: PendingReport): Promise<void>;
}

/**
 * One channel's platform, spoken to in its own dialect and answered in our units and words.
 *
 * Errors by what to do: `RateLimitedError`, `RetryableError`, `AuthLostError`, `FatalError` of the runtime package.
 * A page is parsed completely before any of its rows is given out.
 */
export interface Connector<Credentials = unknown, Settings = unknown> {
  type: ChannelType;
  CredentialsSchema: z.ZodType<Credentials>;
  SettingsSchema: z.ZodType<Settings>;
  /** The ad accounts this link reaches (the one blog for PORTAL1_BLOG). Proves that the credentials work. */
  listAccounts(access: LinkAccess<Credentials, Settings>): Promise<ChannelAccount[]>;
  /** An account's campaigns, ad groups and ads, page by page; nothing for a blog. */
  listEntities(
    access: LinkAccess<Credentials, Settings> & { account: { id: string } },
  ): AsyncIterable<Entity[]>;
  /**
   * The rows of one source over a window, page by page. A set and day may come in several pieces; a day without rows
   * is a day without delivery. Throws without giving a malformed page out.
   */
  collect(request: CollectRequest<Credentials, Settings>): AsyncIterable<Observed[]>;
  /**
   * Fresh credentials for those that are about to end; undefined = nothing to renew now. The caller holds the link's token
   * lock and stores the answer before it is used.
   */
  renew?(access: LinkAccess<Credentials, Settings>): Promise<Credentials | undefined>;
  /** Gives the grant back where the platform can; called when the link is deleted. */
  revoke?(access: LinkAccess<Credentials, Settings>): Promise<void>;
}

/**
 * Calls and waits of one (credential or app, account, endpoint family), shared by all workers. Fed by the platform's
 * headers and errors.
 */
export interface RateBudget {
  /**
   * Waits for leave to make one call, at most `maxWaitMs`.
   * @throws RateLimitedError with the time from which calls are allowed again, when that is further away
   */
  take(key: string, maxWaitMs: number, signal: AbortSignal): Promise<void>;
  /** The platform asked for silence until then. A later time wins. */
  block(key: string, until: number): Promise<void>;
}

/** A short-lived token that calls are made with. */
export interface AccessToken {
  token: string;
  /** Epoch milliseconds. */
  expiresAt: number;
}

/** What a platform answers to a refresh. */
export interface Grant<Credentials = unknown> extends AccessToken {
  /** The link's credentials from now on, where the platform replaced the refresh token. */
  credentials?: Credentials;
}

/** The access tokens of links, shared by all workers. */
export interface AccessTokens {
  /**
   * A token of the link that is good for a minute at least: the stored one, else what `fetch` brings. One fetch at a time
   * over all processes; its grant is stored before anybody uses it.
   *
   * @param refused a token that the platform has just refused: it is not given again
   */
  get<Credentials>(
    access: LinkAccess<Credentials>,
    fetch: (access: LinkAccess<Credentials>) => Promise<Grant<Credentials>>,
    refused?: string,
  ): Promise<string>;
}
