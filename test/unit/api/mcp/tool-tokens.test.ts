import { Tiktoken } from 'js-tiktoken/lite';
import o200k from 'js-tiktoken/ranks/o200k_base';
import { expect, test } from 'vitest';
import { ToolWorld } from './tool-world.ts';

const MAX_LIST_TOKENS = 6_000;
/** Other tokenizers count up to a tenth more than this one. */
const TOKENIZER_MARGIN = 1.1;

/** Reading the ranks of the tokenizer takes a second. */
test('the tools are described in fewer than 6,000 tokens', async () => {
  const { tools, agent } = await ToolWorld.open();
  const list = await tools.list(agent);
  const tokens = new Tiktoken(o200k).encode(JSON.stringify({ tools: list })).length;
  expect(list).toHaveLength(16);
  expect(tokens * TOKENIZER_MARGIN).toBeLessThan(MAX_LIST_TOKENS);
});
