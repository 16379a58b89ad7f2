import * as z from 'zod';
import { PROVIDER_STATUSES } from '../../inline/provider/provider-status.ts';
import { TurnMetrics } from './call.ts';
import { named, wholeNumber } from './fields.ts';

const MAX_PAGE = 200;

export const DeliveryParams = z.object({ id: z.string().describe('Identifier of the delivery') });

export const DeliveryQuery = z.object({
  limit: wholeNumber(1, MAX_PAGE).default(50),
  offset: wholeNumber(0).default(0).describe('Deliveries to skip, counted from the newest'),
});

/** A delivery as shown in lists. */
export const Delivery = named('Delivery', {
  id: z.string(),
  agent_id: z.string(),
  event_type: z.string(),
  status: z
    .enum(['queued', 'sent', 'answered', 'delivered', 'merged', 'failed'])
    .describe(
      '`sent`: the model is asked. `answered`: the actions of its reply are carried out. `delivered`: they are. `merged`: another delivery was answered together with this one',
    ),
  error: z.string().nullable(),
  error_type: z.string().nullable().describe('Kind of the fault, such as `key_rejected` or `timeout`'),
  turn_id: z.string().nullable().describe('The delivery that has the reply to this one'),
  replay_of: z.string().nullable().describe('The delivery whose event was delivered again'),
  created_at: z.string(),
  updated_at: z.string(),
});

const DeliveryAction = named('DeliveryAction', {
  index: z.int(),
  action: z.record(z.string(), z.unknown()),
  status: z
    .enum(['planned', 'claimed', 'done', 'refused', 'failed', 'unknown'])
    .describe(
      '`claimed`: being carried out. `refused`: not allowed. `unknown`: it may have been carried out',
    ),
  reason: z.string().nullable(),
  updated_at: z.string(),
});

export const DeliveryDetail = Delivery.extend({
  payload: z.record(z.string(), z.unknown()).describe('The event as the model gets it'),
  response_body: z.string().nullable().describe("The model's reply"),
  provider: z.string().nullable(),
  attempts: z.int().describe('How often the model was asked'),
  usage: z
    .object({ input_tokens: z.int().nullable(), output_tokens: z.int().nullable() })
    .describe('As the provider counts'),
  health: z
    .enum(PROVIDER_STATUSES)
    .nullable()
    .describe('Outcome of a healthcheck. Null: none yet, or this is no healthcheck'),
  started_at: z.string().nullable(),
  answered_at: z.string().nullable(),
  turn_metrics: TurnMetrics.nullable().describe(
    'How long somebody on a call waited for the reply. Null: no call, or not heard',
  ),
  actions: z.array(DeliveryAction).describe('What the reply asked for, and what has become of it'),
}).meta({ id: 'DeliveryDetail' });

/** A delivery that a request has made. */
export const NewDelivery = DeliveryDetail.extend({
  result_path: z.string().describe('Where its result appears'),
}).meta({ id: 'NewDelivery' });

/** Longest wait for a result: a test takes no longer. */
const MAX_WAIT_S = 55;

export const TestQuery = z.object({
  wait: wholeNumber(0, MAX_WAIT_S)
    .default(0)
    .describe('Seconds to wait for the result. The answer is 202 if it is not there by then'),
});

export const DeliveryList = named('DeliveryList', {
  deliveries: z.array(Delivery).describe('Newest first'),
  total: z.int(),
  limit: z.int(),
  offset: z.int(),
});
