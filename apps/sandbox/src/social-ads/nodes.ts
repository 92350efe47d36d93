import { daysBetween } from '../world/days.ts';
import { hash } from '../world/random.ts';
import {
  effectiveStatusOn,
  type SocialAccount,
  type SocialEntity,
  statusOn,
} from '../world/social-tree.ts';

type Json = Record<string, unknown>;

/** All that an ad account tells. `amount_spent` is a plausible figure in minor units, not the sum of the days. */
export function accountJson(account: SocialAccount, now: number): Json {
  const days = daysBetween(account.createdOn, account.zone.dateAt(now));
  const offset =
    account.zone.day(account.zone.dateAt(now)).startMs -
    Date.parse(`${account.zone.dateAt(now)}T00:00:00Z`);
  return {
    id: `act_${account.id}`,
    account_id: account.id,
    name: account.name,
    currency: account.currency,
    timezone_name: account.zone.name,
    timezone_offset_hours_utc: -offset / 3_600_000,
    timezone_id: account.currency === 'KRW' ? 79 : 7,
    account_status: 1,
    amount_spent: String(days * (account.minorDigits === 0 ? 310_000 : 41_500)),
    balance: '0',
    spend_cap: '0',
    disable_reason: 0,
    business_name: account.name,
    created_time: `${account.createdOn}T09:00:00+0000`,
    age: days,
    owner: '100000000000077',
  };
}

/** All that a campaign, ad set or ad tells. */
export function entityJson(node: SocialEntity, today: string): Json {
  const ids: Json = {};
  for (let up = node.parent; up !== undefined; up = up.parent) ids[`${up.kind}_id`] = up.id;
  const status = statusOn(node, today);
  const common = {
    id: node.id,
    name: node.name,
    account_id: node.account.id,
    ...ids,
    status,
    configured_status: status,
    effective_status: effectiveStatusOn(node, today),
    created_time: `${node.createdOn}T00:10:00+0000`,
    updated_time: `${node.endedOn !== undefined && node.endedOn <= today ? node.endedOn : node.createdOn}T00:20:00+0000`,
  };
  if (node.kind === 'campaign') {
    return {
      ...common,
      objective: 'OUTCOME_SALES',
      buying_type: 'AUCTION',
      special_ad_categories: [],
      start_time: common.created_time,
    };
  }
  if (node.kind === 'adset') {
    return {
      ...common,
      optimization_goal: 'OFFSITE_CONVERSIONS',
      billing_event: 'IMPRESSIONS',
      daily_budget: node.account.minorDigits === 0 ? '50000' : '6000',
      start_time: common.created_time,
      attribution_spec: [
        { event_type: 'CLICK_THROUGH', window_days: 28 },
        { event_type: 'VIEW_THROUGH', window_days: 1 },
      ],
    };
  }
  return { ...common, creative: { id: creativeId(node) } };
}

/** The id of an ad's creative, an object of its own. */
export function creativeId(ad: SocialEntity): string {
  return `2385${hash(`creative/${ad.id}`)}`;
}

export function creativeJson(ad: SocialEntity): Json {
  return {
    id: creativeId(ad),
    account_id: ad.account.id,
    name: `Creative of ${ad.name}`,
    status: 'ACTIVE',
    object_type: 'SHARE',
  };
}

/** The asked fields that the object has; `id` always; without `fields` the few that the platform gives. */
export function pickFields(whole: Json, fields: string[], defaults: string[]): Json {
  const asked = [...(fields.length > 0 ? fields : defaults), 'id'];
  return Object.fromEntries(
    asked.filter((name) => whole[name] !== undefined).map((name) => [name, whole[name]]),
  );
}
