export {
  type ConnectionSettings,
  createProducerConnection,
  createWorkerConnection,
  waitForConnection,
} from './connections.ts';
export type { Consumption } from './consumption.ts';
export { createEpoch, type Epoch } from './epoch.ts';
export type { QueueLogger } from './logger.ts';
export { type BudgetLimit, createRateBudget, type RateBudgetDeps } from './rate-budget.ts';
export { createTokenLocks, type TokenLocks } from './token-locks.ts';
export {
  createTurnQueues,
  type TurnCounts,
  type TurnQueues,
  type TurnQueuesDeps,
  turnQueueName,
} from './turn-queues.ts';
export { createTurnWorkers, type TurnWorkers, type TurnWorkersDeps } from './turn-workers.ts';
