import { CHANNELS, type ChannelAccount } from '@tributary/shared';
import type { BlogSettings } from './schema.ts';

/** One blog per link, under an id that stays. */
export function blogAccount({
  timezone,
  currency,
}: Pick<BlogSettings, 'timezone' | 'currency'>): ChannelAccount {
  const { defaultZone, defaultCurrency } = CHANNELS.PORTAL1_BLOG;
  return {
    id: 'blog',
    title: 'Blog',
    zone: timezone ?? defaultZone,
    currency: currency ?? defaultCurrency,
    status: 'active',
  };
}
