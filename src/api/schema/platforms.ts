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
  setup: z.string().describe('What its user does to connect it'),
  accounts: z.array(Login).describe('Logins there; for an agent key only those of its agents'),
}).meta({ id: 'ListedPlatform' });

export const PlatformList = z.object({ platforms: z.array(ListedPlatform) }).meta({ id: 'PlatformList' });

export const ConnectionParams = z.object({
  connection_id: z.string().describe('Identifier of the connection'),
});
