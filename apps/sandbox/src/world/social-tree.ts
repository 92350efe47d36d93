import { createZone, daysBetween, weekdayOf, type Zone } from './days.ts';
import { createRandom, fraction, hash, whole } from './random.ts';

export type SocialKind = 'campaign' | 'adset' | 'ad';
export type SocialStatus = 'ACTIVE' | 'PAUSED' | 'ARCHIVED' | 'DELETED';
export type SocialEffectiveStatus = SocialStatus | 'CAMPAIGN_PAUSED' | 'ADSET_PAUSED';

export interface SocialAccount {
  id: string;
  name: string;
  currency: string;
  /** Decimals of the currency's minor unit, in which the world counts money. */
  minorDigits: number;
  zone: Zone;
  createdOn: string;
  campaigns: SocialEntity[];
  adsets: SocialEntity[];
  ads: SocialEntity[];
}

export interface SocialEntity {
  kind: SocialKind;
  id: string;
  name: string;
  account: SocialAccount;
  parent: SocialEntity | undefined;
  createdOn: string;
  /** The first day without delivery after it was archived or deleted for good. */
  endedOn: string | undefined;
  endedAs: 'ARCHIVED' | 'DELETED' | undefined;
  /** It delivers on `on` days out of every `period`, counted from `phase`; undefined = always. */
  flight: { period: number; on: number; phase: number } | undefined;
  /** Never switched on. */
  draft: boolean;
  /** Delivers from Monday to Friday alone. */
  weekdaysOnly: boolean;
}

export interface SocialTree {
  accounts: SocialAccount[];
  byId: Map<string, SocialEntity>;
}

const EPOCH = '2021-01-01';
/** Quarter campaigns are laid out in advance; one exists from its first day on. */
const QUARTERS = { from: 2022, to: 2039 };
const CAMPAIGN_NAMES = [
  '봄 신상 🌸 – 전환',
  'Retargeting | 30d',
  'Brand awareness',
  'Summer "sale"',
];

function entity(
  tree: SocialTree,
  account: SocialAccount,
  kind: SocialKind,
  key: string,
  parent: SocialEntity | undefined,
  more: Partial<SocialEntity> & { name: string },
): SocialEntity {
  const path = `${account.id}/${parent?.id ?? ''}/${kind}/${key}`;
  // Object ids have 18 digits, more than a double holds exactly: a client that reads them as numbers is found out.
  let n = hash(path) * 1_000 + (hash(`${path}#`) % 1_000);
  let id = '';
  do {
    id = `12021${String(n).padStart(13, '0')}`;
    n += 1;
  } while (tree.byId.has(id));
  const made: SocialEntity = {
    kind,
    id,
    account,
    parent,
    createdOn: parent?.createdOn ?? EPOCH,
    endedOn: parent?.endedOn,
    endedAs: parent?.endedAs,
    flight: undefined,
    draft: false,
    weekdaysOnly: false,
    ...more,
  };
  tree.byId.set(id, made);
  account[`${kind}s`].push(made);
  return made;
}

function flightOf(random: () => number): SocialEntity['flight'] {
  if (random() < 0.4) return undefined;
  const period = whole(random, 35, 120);
  return { period, on: Math.ceil(period * (0.5 + 0.4 * random())), phase: whole(random, 0, 119) };
}

function addStandingCampaigns(tree: SocialTree, account: SocialAccount, seed: string, n: number) {
  const random = createRandom(`${seed}/tree/${account.id}`);
  for (let c = 0; c < n; c += 1) {
    const campaign = entity(tree, account, 'campaign', String(c), undefined, {
      name: `${CAMPAIGN_NAMES[c % CAMPAIGN_NAMES.length]}${c < 4 ? '' : ` ${c}`}`,
      flight: c % 3 === 2 ? flightOf(random) : undefined,
    });
    for (let g = 0, adsets = 2 + (c % 2); g < adsets; g += 1) {
      const adset = entity(tree, account, 'adset', String(g), campaign, {
        name: `Ad set ${c + 1}-${g + 1}`,
        // One ad set was prepared and never switched on: it is in every list and has no statistics.
        draft: c % 3 === 1 && g === 1,
        flight: g === 0 ? undefined : flightOf(random),
      });
      for (let a = 0, ads = whole(random, 2, 3); a < ads; a += 1) {
        const since = `${2022 + whole(random, 0, 3)}-0${whole(random, 1, 9)}-1${whole(random, 0, 9)}`;
        entity(tree, account, 'ad', String(a), adset, {
          name: `Ad ${c + 1}-${g + 1}-${a + 1} “${a % 2 ? 'video' : '이미지'}”`,
          createdOn: a === 0 ? adset.createdOn : since,
          flight: a === 0 ? undefined : flightOf(random),
          weekdaysOnly: random() < 0.25,
        });
      }
    }
  }
}

/**
 * Each quarter has a campaign of its own that is archived on the first day of the quarter's third month, and an ad in
 * the first ad set that is deleted in the middle of the second month. So at any time there is archived and deleted
 * delivery inside the last 90 days, new entities appear as the clock moves on, and nothing depends on when the
 * sandbox was started.
 */
function addQuarters(tree: SocialTree, account: SocialAccount): void {
  const home = account.adsets[0];
  for (let year = QUARTERS.from; year <= QUARTERS.to; year += 1) {
    for (let q = 0; q < 4; q += 1) {
      const month = (offset: number): string => String(q * 3 + offset).padStart(2, '0');
      const name = `${year} Q${q + 1}`;
      const createdOn = `${year}-${month(1)}-01`;
      const campaign = entity(tree, account, 'campaign', name, undefined, {
        name: `Season ${name}`,
        createdOn,
        endedOn: `${year}-${month(3)}-01`,
        endedAs: 'ARCHIVED',
      });
      const adset = entity(tree, account, 'adset', name, campaign, { name: `Season ${name} all` });
      entity(tree, account, 'ad', 'a', adset, { name: `Season ${name} A` });
      entity(tree, account, 'ad', 'b', adset, { name: `Season ${name} B`, weekdaysOnly: true });
      entity(tree, account, 'ad', name, home, {
        name: `Variant ${name}`,
        createdOn,
        endedOn: `${year}-${month(2)}-15`,
        endedAs: 'DELETED',
      });
    }
  }
}

/** Lays out all accounts of a seed, for all times; what exists at a moment is told by `existsOn`. */
export function createSocialTree(seed: string, scale: number): SocialTree {
  const tree: SocialTree = { accounts: [], byId: new Map() };
  const plans = [
    { name: '트리뷰터리 스토어', currency: 'KRW', minorDigits: 0, zone: 'Asia/Seoul' },
    { name: 'Tributary Shop US', currency: 'USD', minorDigits: 2, zone: 'America/New_York' },
  ];
  for (const [i, plan] of plans.entries()) {
    const digits = String(hash(`${seed}/account/${i}`)).padStart(10, '0');
    const account: SocialAccount = {
      ...plan,
      id: `${10 + i}${digits}${i}`,
      zone: createZone(plan.zone),
      createdOn: EPOCH,
      campaigns: [],
      adsets: [],
      ads: [],
    };
    tree.accounts.push(account);
    addStandingCampaigns(tree, account, seed, 3 * scale);
    addQuarters(tree, account);
  }
  return tree;
}

function isOnFlight(node: SocialEntity, date: string): boolean {
  if (node.draft) return false;
  if (node.flight === undefined) return true;
  const { period, on, phase } = node.flight;
  return (daysBetween(EPOCH, date) + phase) % period < on;
}

/** True once the entity was created; archived and deleted entities still exist. */
export function existsOn(node: SocialEntity, today: string): boolean {
  return node.createdOn <= today;
}

/** Its own switch on a local day. */
export function statusOn(node: SocialEntity, today: string): SocialStatus {
  if (node.endedOn !== undefined && node.endedOn <= today) return node.endedAs ?? 'ARCHIVED';
  return isOnFlight(node, today) ? 'ACTIVE' : 'PAUSED';
}

/** Its status with those above it taken into account. */
export function effectiveStatusOn(node: SocialEntity, today: string): SocialEffectiveStatus {
  const own = statusOn(node, today);
  if (own === 'DELETED' || own === 'ARCHIVED') return own;
  const above = node.parent && effectiveStatusOn(node.parent, today);
  if (above === 'DELETED' || above === 'ARCHIVED') return above;
  if (own === 'PAUSED' || above === undefined || above === 'ACTIVE') return own;
  if (above === 'CAMPAIGN_PAUSED' || node.parent?.kind === 'campaign') return 'CAMPAIGN_PAUSED';
  return 'ADSET_PAUSED';
}

/** Whether an ad delivers on a day, by its dates, its flights and those above it, and its quiet days. */
export function delivers(ad: SocialEntity, date: string, seed: string): boolean {
  for (let node: SocialEntity | undefined = ad; node !== undefined; node = node.parent) {
    if (!existsOn(node, date) || statusOn(node, date) !== 'ACTIVE') return false;
  }
  const weekday = weekdayOf(date);
  if (ad.weekdaysOnly && (weekday === 0 || weekday === 6)) return false;
  return fraction(`${seed}/quiet/${ad.id}/${date}`) >= 0.03;
}

/** The entity of a level that an ad belongs to; the account's own level is undefined. */
export function ancestorOf(ad: SocialEntity, kind: SocialKind): SocialEntity {
  let node: SocialEntity | undefined = ad;
  while (node !== undefined && node.kind !== kind) node = node.parent;
  if (node === undefined) throw new Error(`Entity ${ad.id} has no ${kind} above it`);
  return node;
}
