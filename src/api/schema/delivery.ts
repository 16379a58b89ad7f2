import * as z from 'zod';
import { wholeNumber } from './fields.ts';

const MAX_PAGE = 200;

export const DeliveryParams = z.object({ id: z.string().describe('Identifier of the delivery') });

export const DeliveryQuery = z.object({
  limit: wholeNumber(1, MAX_PAGE).default(50),
  offset: wholeNumber(0).default(0).describe('Deliveries to skip, counted from the newest'),
});

/** A delivery as shown in lists. */
export const Delivery = z
  .object({
    id: z.string(),
    agent_id: z.string(),
    event_type: z.string(),
    status: z.enum(['queued', 'delivered', 'failed']),
    error: z.string().nullable(),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({ id: 'Delivery' });

export const DeliveryDetail = Delivery.extend({
  payload: z.record(z.string(), z.unknown()).describe('The event as the model gets it'),
  response_body: z.string().nullable(),
}).meta({ id: 'DeliveryDetail' });

export const DeliveryList = z
  .object({
    deliveries: z.array(Delivery).describe('Newest first'),
    total: z.int(),
    limit: z.int(),
    offset: z.int(),
  })
  .meta({ id: 'DeliveryList' });
