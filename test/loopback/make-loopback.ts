import type { MakeConnector } from '../../src/assembly/platforms.ts';
import { LoopbackConnector } from './loopback-connector.ts';
import { PLATFORM } from './platform.ts';

/** The loopback platform, set up by LOOPBACK_* variables. */
export const makeLoopback: MakeConnector = ({ publicUrl, bridges, clock }) => {
  const webhookRoot = (): string => `${publicUrl()}/api/${PLATFORM}/webhook`;
  const setting = (name: string): string => process.env[`LOOPBACK_${name}`] ?? '';
  const options = {
    vendorUrl: setting('VENDOR_URL'),
    authorizationUrl: setting('AUTHORIZATION_URL'),
    clientId: setting('CLIENT_ID'),
    clientSecret: setting('CLIENT_SECRET'),
    webhookRoot,
  };
  return new LoopbackConnector(options, bridges, clock);
};
