// @ts-check
/** Reads an OpenAPI document from standard input and prints what the recommended rules find; ends with 1 when that is anything. */
import { text } from 'node:stream/consumers';
import { createConfig, lintFromString } from '@redocly/openapi-core';

const source = await text(process.stdin);
const config = await createConfig({ extends: ['recommended-strict'] });
const problems = await lintFromString({ source, config });
for (const { ruleId, message, location } of problems) {
  console.log(`${ruleId}: ${message} at ${location[0]?.pointer}`);
}
process.exitCode = problems.length > 0 ? 1 : 0;
