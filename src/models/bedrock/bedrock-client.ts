import { z } from 'zod';
import { assert } from '../../base/assert.ts';
import { alternatingTurns } from '../alternating-turns.ts';
import type { ModelClient, ModelTurn, PastTurn } from '../model-client.ts';
import { isFault, unusable } from '../model-fault.ts';
import { type AwsException, type BedrockApis, errorOf } from './bedrock-api.ts';
import { modelChoices, profileChoices } from './bedrock-choices.ts';
import { readConverse } from './converse-reply.ts';

/** An answer that is not streamed. */
const WholeReply = z.object({ stopReason: z.string() });
const EVENT_STREAM = 'application/vnd.amazon.eventstream';

export interface BedrockClientOptions extends BedrockApis {
  /** The id of a model or an inference profile, or an ARN. Empty: none is chosen yet, so only `browse` works. */
  readonly model: string;
}

/**
 * Amazon Bedrock by Converse, which keeps no conversation. Models behind it cannot read from the gateway.
 * https://docs.aws.amazon.com/bedrock/latest/userguide/conversation-inference.html
 */
export function bedrockClient({ runtime, control, model }: BedrockClientOptions): ModelClient {
  const call = (operation: 'converse' | 'converse-stream', body: object, signal: AbortSignal) => {
    if (model === '') throw unusable('model is missing');
    const path = `/model/${encodeURIComponent(model)}/${operation}`;
    return { method: 'POST', path, body, signal } as const;
  };
  return {
    /** By a reply of one token: keys that may call a model need not be allowed to list any. */
    async probe(signal) {
      const body = { messages: messagesOf([]), inferenceConfig: { maxTokens: 1 } };
      await runtime.ask(WholeReply, call('converse', body, signal));
    },
    async browse(signal) {
      try {
        const lists = [profileChoices(control, signal), modelChoices(control, signal)];
        return { models: (await Promise.all(lists)).flat(), agents: [], notice: null };
      } catch (error) {
        if (!isFault(error, 'no_access')) throw error;
        const notice = `The key may not list models, but may be allowed to call them: enter the id. ${error.message}`;
        return { models: [], agents: [], notice };
      }
    },
    async turn(turn, observer) {
      const request = call('converse-stream', converseBody(turn), turn.signal);
      const answer = await runtime.open(request, EVENT_STREAM);
      const faultOf = (exception: AwsException) => runtime.brokenStream(errorOf(exception, model));
      return await readConverse(answer, observer, faultOf);
    },
    reconcile: async () => ({ kind: 'absent' }),
    forget: async () => {},
  };
}

/**
 * The body of a Converse request. Bedrock keeps nothing, so the whole history goes along. Roles alternate, and no text may be
 * blank. https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html
 */
function converseBody({ history, text, instructions, maxOutputTokens }: ModelTurn): object {
  assert(text !== null, 'no fate of a turn at Bedrock is unanswered');
  return {
    messages: messagesOf([...history, { role: 'user', text }]),
    ...(instructions.trim() !== '' && { system: [{ text: instructions }] }),
    inferenceConfig: { maxTokens: maxOutputTokens },
  };
}

function messagesOf(turns: readonly PastTurn[]): readonly object[] {
  return alternatingTurns(turns).map(({ role, text }) => ({ role, content: [{ text }] }));
}
