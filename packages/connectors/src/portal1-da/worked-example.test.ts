import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHANNELS, seal } from '@tributary/shared';
import { normalizePerformance } from './normalize.ts';
import { ProviderPerformanceSchema } from './schema.ts';

const page = readFileSync(join(__dirname, '../../../../docs/adding-a-channel.md'), 'utf8');
const blocks = [...page.matchAll(/```json\n([\s\S]*?)```/g)].map(([, text = '']) =>
  JSON.parse(text),
);

test('the example of docs/adding-a-channel.md is what the code makes of it', () => {
  const [sent, observation, dataObject] = blocks;
  const scope = { level: 'c', part: 'base', from: '2026-11-18', to: '2026-11-18' } as const;
  const { day, row } = normalizePerformance(ProviderPerformanceSchema.parse(sent), scope);
  expect(row).toEqual(observation);
  for (const level of ['c', 'a'] as const) {
    const { entities } = seal({
      channel: CHANNELS.PORTAL1_DA,
      level,
      date: day,
      sets: new Map([['c-base', [row]]]),
      lagging: new Set(),
    });
    const { total } = JSON.parse(entities.get(level === 'c' ? '1261102' : '')?.json ?? '{}');
    expect(total).toEqual(dataObject);
  }
});
