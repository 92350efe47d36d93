export {
  type Cell,
  type Cells,
  type ChannelAccount,
  type Day,
  LANES,
  type Lane,
  type Millis,
  type PlanAccount,
  type Replacement,
  type Report,
  type Window,
  type Wish,
} from './account.ts';
export {
  type ChangeRecord,
  ChangeSchema,
  ChangesSchema,
  ListChangesQuerySchema,
} from './api/changes.ts';
export {
  type CommentRecord,
  CommentSchema,
  CreateCommentBodySchema,
  DeleteCommentQuerySchema,
  ListCommentsQuerySchema,
  UpdateCommentBodySchema,
} from './api/comment.ts';
export { type LinkCoverage, LinkCoverageSchema } from './api/coverage.ts';
export {
  BUILT_CHANNELS,
  CREDENTIALS_SCHEMAS,
  HISTORY_DAYS_DEFAULT,
  SETTINGS_SCHEMAS,
} from './api/credentials.ts';
export { DaySchema, RANGE_DAYS_MAX } from './api/day.ts';
export {
  type EntityRecord,
  EntitySchema,
  IdSchema,
  ListEntitiesQuerySchema,
} from './api/entity.ts';
export {
  type AccountHealth,
  type HealthProblem,
  type LinkHealth,
  LinkHealthSchema,
} from './api/health.ts';
export {
  IMPORT_ERRORS_SHOWN_MAX,
  type ImportResult,
  ImportResultSchema,
} from './api/import.ts';
export {
  CreateLinkBodySchema,
  LINK_STATUSES,
  type LinkChild,
  LinkIdQuerySchema,
  type LinkRecord,
  LinkSchema,
  type LinkStatus,
  ListLinksQuerySchema,
  ReplaceCredentialsBodySchema,
  UpdateLinkQuerySchema,
} from './api/link.ts';
export { PAGE_MAX } from './api/page.ts';
export {
  type InvalidInput,
  PROBLEMS,
  type Problem,
  type ProblemCode,
  ProblemSchema,
} from './api/problem.ts';
export {
  RefreshBodySchema,
  RefreshRunParamsSchema,
  type RefreshRunRecord,
  RefreshRunSchema,
} from './api/refresh.ts';
export {
  REVISIONS_MAX,
  type RevisionRecord,
  RevisionSchema,
  RevisionsQuerySchema,
} from './api/revision.ts';
export {
  type LinkSchedule,
  LinkScheduleSchema,
  UpdateScheduleBodySchema,
} from './api/schedule.ts';
export {
  AdStatisticsSchema,
  type BlogStatistics,
  BlogStatisticsSchema,
  breakdownSchema,
  type DataObject,
  DataObjectSchema,
  LinkRangeQuerySchema,
  StatisticsQuerySchema,
  StatisticsSchema,
} from './api/statistics.ts';
export {
  CHANNEL_TYPES,
  CHANNELS,
  type Channel,
  type ChannelType,
  type Dimension,
  type Fill,
  fillOf,
  findSource,
  isImported,
  lacksFeed,
  outlivedMetrics,
  type Source,
  sourcesOf,
  unfedLists,
} from './channels.ts';
export {
  type CollectedDay,
  type CollectedInput,
  type CollectedRange,
  collectedRange,
  type StateAccount,
} from './collected.ts';
export { crcJoin, crcShift } from './crc.ts';
export {
  addDays,
  dayAt,
  daysBetween,
  eachDay,
  eachMonth,
  instantOf,
  isBeforeEnd,
  isDay,
  isZone,
  monthOf,
  startOfDay,
} from './days.ts';
export { type Calendar, createCalendar, dueAt } from './due.ts';
export {
  add,
  compareExact,
  countFromText,
  decimalFromMicros,
  type Exact,
  exact,
  microsFromDecimal,
  ratio,
  subtract,
} from './exact.ts';
export { type FailingSource, failingSources, shortDetail } from './failing.ts';
export { filledBits, lostBits, packFilled } from './filled.ts';
export { type TurnJob, TurnJobSchema } from './job.ts';
export { addLevelSums, type LevelGap, type LevelSums, levelGaps, levelSums } from './level-gaps.ts';
export {
  ENTITY_STATUSES,
  type Entity,
  type EntityCounts,
  type EntityStatus,
  isOpen,
  LEVEL_WORDS,
  LEVELS,
  type Level,
  type LevelWord,
  LISTED_LEVELS,
  type ListedLevel,
} from './levels.ts';
export {
  dataObjectJson,
  type Figures,
  hasDelivery,
  METRICS,
  type Metric,
  type MetricKind,
  mergeFigures,
  metricNumber,
  STORED_METRICS,
  type StoredMetric,
  sumMetric,
  zeroFigures,
} from './metrics.ts';
export {
  lackingMetrics,
  type NotGiven,
  notGiven,
  OPTIONAL_METRICS,
  type OptionalMetric,
} from './not-given.ts';
export {
  type BlogDay,
  entityOf,
  FIRST_FIGURE,
  type ObservationRow,
  type Observed,
  type Part,
  type SetId,
} from './observation.ts';
export { groupKey, type Plan, type PlanInput, plan } from './plan.ts';
export {
  createReadingTotals,
  namedValues,
  type ReadingTotals,
  type RevisedEntity,
  type RevisedValues,
  revisedTotals,
} from './revision.ts';
export {
  createSealing,
  metricsOf,
  type SealedEntity,
  type SealInput,
  type Sealing,
  type SealingInput,
  type SealResult,
  seal,
  zeroDay,
} from './seal.ts';
export {
  type DayCells,
  isUnsealed,
  type PartState,
  partState,
  SEAL_VERSION,
  type SealedDays,
  type SealedMark,
  type SealedPart,
  sealedParts,
  sealTag,
  unsealedParts,
} from './sealed.ts';
export { isFinalReading, type SlotAccount, spread } from './slots.ts';
export {
  type AnswerState,
  answerState,
  DATA_STATES,
  type DataState,
  type Gap,
  stateHeaders,
} from './state.ts';
export { type AnswerSize, SUSPECT_RETRY_MS, type Suspicion, suspect } from './suspicion.ts';
export {
  type UpstreamChange,
  type UpstreamInput,
  upstreamChanges,
  upstreamKind,
} from './upstream.ts';
export { type FailedCell, type WishProgress, wishProgress } from './wish-progress.ts';
