/** What this package needs of a logger; the runtime's fits. */
export interface QueueLogger {
  warn(fields: Record<string, unknown>, message: string): void;
  error(fields: Record<string, unknown>, message: string): void;
}
