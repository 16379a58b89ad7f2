import * as z from 'zod';
import { PLATFORMS } from '../../base/platform.ts';
import { PlatformState } from './account.ts';
import { AccountType } from './agent.ts';

const Login = z
  .object({
    type: AccountType,
    id: z.string(),
    label: z.string(),
    status: z.string(),
  })
  .meta({ id: 'PlatformLogin' });

const ListedPlatform = PlatformState.extend({
  platform: z.enum(PLATFORMS),
  setup: z.string().describe('How to connect the platform'),
  accounts: z.array(Login).describe('Logins on the platform; agent keys see only those of their own agents'),
}).meta({ id: 'ListedPlatform' });

export const PlatformList = z.object({ platforms: z.array(ListedPlatform) }).meta({ id: 'PlatformList' });

export const ConnectionParams = z.object({
  connection_id: z.string().describe('Identifier of the connection'),
});
