import type { Connector, LinkAccess } from '@tributary/connectors';
import {
  type Account,
  findLinkById,
  isOpenLink,
  type Link,
  loadCredentials,
} from '@tributary/database';
import { AuthLostError, CredentialError, FatalError, RetryableError } from '@tributary/runtime';
import type { z } from 'zod';
import type { WorkerDeps } from './deps.ts';

/** A link that may be worked on, and how its platform is spoken to. */
export interface OpenLink {
  link: Link;
  connector: Connector;
  access: Omit<LinkAccess, 'signal'>;
  /** The state of the stored credentials that `access` was made from. */
  sealed: string;
}

/** The account's link while it is neither deleted nor paused, nor waiting for a person. */
export async function findOpenLink(
  { db }: Pick<WorkerDeps, 'db'>,
  account: Account,
): Promise<Link | undefined> {
  const link = await findLinkById(db, account.link);
  return link && isOpenLink(link) ? link : undefined;
}

/**
 * Opens the link's credentials and reads them by the connector's schema.
 *
 * @throws AuthLostError when they cannot be opened or do not fit: a person has to give new ones
 * @throws RetryableError when they are sealed with a key that this process has not
 * @throws FatalError when the channel is not built
 */
export async function openLink(
  { db, box, connectors }: Pick<WorkerDeps, 'db' | 'box' | 'connectors'>,
  link: Link,
): Promise<OpenLink> {
  const connector = connectors[link.type];
  if (!connector) throw new FatalError('not_built', `The channel '${link.type}' is not built yet`);
  const stored = await loadCredentials(db, box, link._id).catch((cause: unknown) => {
    if (!(cause instanceof CredentialError)) throw cause;
    // A key that is not configured here says nothing about the link: this process was set up wrong.
    if (cause.code === 'credentials_key_unknown') {
      throw new RetryableError(cause.code, cause.message, { cause });
    }
    throw new AuthLostError(
      'credentials_unreadable',
      'The stored credentials cannot be opened: connect again',
      { cause },
    );
  });
  const parsed = connector.CredentialsSchema.safeParse(stored.value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const place = ['credentials', ...(issue?.path ?? [])].join('.');
    throw new AuthLostError(
      'credentials_invalid',
      `The stored ${place} do not fit ${link.type}, ${wordsOf(issue)}. Send new ones with PUT /link/credentials.`,
    );
  }
  const settings = connector.SettingsSchema.safeParse(link.settings);
  if (!settings.success) throw settingsInvalid(link, settings.error);
  return {
    link,
    connector,
    access: { link: link._id, credentials: parsed.data, settings: settings.data },
    sealed: stored.sealed,
  };
}

/** Settings are checked when a link is made, so these are of another version or were changed in the database. */
function settingsInvalid(link: Link, { issues }: z.ZodError): AuthLostError {
  const [issue] = issues;
  const path = issue?.path ?? [];
  const value = path.reduce<unknown>(
    (inside, key) => (inside as Record<PropertyKey, unknown> | undefined)?.[key], // walks where zod has walked
    link.settings,
  );
  const place = ['settings', ...path].join('.');
  return new AuthLostError(
    'settings_invalid',
    `The stored ${place} is ${JSON.stringify(value)}, ${wordsOf(issue)}. Delete the link and make it again with POST /link.`,
  );
}

function wordsOf(issue: z.core.$ZodIssue | undefined): string {
  return issue?.message.replace(/^Invalid input: /, '') ?? 'expected something else';
}
