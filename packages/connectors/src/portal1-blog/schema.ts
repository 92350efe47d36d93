import type { CREDENTIALS_SCHEMAS, SETTINGS_SCHEMAS } from '@tributary/shared';
import type { z } from 'zod';

export type BlogCredentials = z.output<typeof CREDENTIALS_SCHEMAS.PORTAL1_BLOG>;
export type BlogSettings = z.output<typeof SETTINGS_SCHEMAS.PORTAL1_BLOG>;
