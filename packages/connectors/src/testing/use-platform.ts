import { type ContractSubject, createOpenBudget } from './contract.ts';
import { type ScriptedServer, startScriptedServer } from './scripted-server.ts';

/** A scripted platform, a connector opened against it and a clock that stands still, new for each test of the file. */
export function usePlatform<Opened extends { connector: unknown; close(): Promise<unknown> }>(
  open: (deps: Parameters<ContractSubject['open']>[0]) => Opened,
  now: number,
) {
  let server: ScriptedServer;
  let opened: Opened;
  let budget: ReturnType<typeof createOpenBudget>;
  const clock = { time: now, now: () => clock.time };
  beforeEach(async () => {
    clock.time = now;
    server = await startScriptedServer();
    budget = createOpenBudget();
    opened = open({ baseUrl: server.url, budget: budget.budget, clock });
  });
  afterEach(async () => {
    await opened.close();
    await server.close();
  });
  return {
    server: () => server,
    connector: (): Opened['connector'] => opened.connector,
    budget: () => budget,
    clock,
  };
}
