import { type ChannelType, CreateLinkBodySchema } from '@tributary/shared';
import { z } from 'zod';
import { isPrivateHost } from '../private-host.ts';

export interface CreateLinkOptions {
  /** Other names of channels that are accepted as `type`, never sent. */
  channelAliases: ReadonlyMap<string, ChannelType>;
  /** Feeds inside the own network and on plain http are allowed: development only. */
  allowPrivateAddresses: boolean;
}

/** The body of POST /link with what the configuration adds: other names of channels, and where a feed may lie. */
export function createLinkBodySchema({ channelAliases, allowPrivateAddresses }: CreateLinkOptions) {
  const checked = CreateLinkBodySchema.check((context) => {
    const { settings } = context.value;
    const feedUrl = settings && 'feedUrl' in settings ? settings.feedUrl : undefined;
    if (feedUrl === undefined || allowPrivateAddresses) return;
    const url = new URL(feedUrl);
    const isPrivate = isPrivateHost(url);
    if (!isPrivate && url.protocol === 'https:') return;
    context.issues.push({
      code: 'custom',
      input: feedUrl,
      path: ['settings', 'feedUrl'],
      message: isPrivate ? 'expected a public address' : 'expected an https address',
    });
  });
  return z.preprocess((body) => withCanonicalType(body, channelAliases), checked);
}

/** A body whose `type` is a channel's own name where it was an alias. */
export function withCanonicalType(
  body: unknown,
  aliases: CreateLinkOptions['channelAliases'],
): unknown {
  if (typeof body !== 'object' || body === null || !('type' in body)) return body;
  const type = typeof body.type === 'string' ? aliases.get(body.type) : undefined;
  return type === undefined ? body : { ...body, type };
}
