import { randomBytes } from 'node:crypto';
import { newGuid } from './teams-ids.ts';

/** A bot's registration. */
export class FakeBot {
  readonly appId = newGuid();
  readonly secret = randomBytes(30).toString('base64url');
  readonly name: string;
  /** The tenant that the bot belongs to; `botframework.com`: a multi-tenant bot. */
  readonly tenantId: string;
  /** Whether its secret has expired, and with it every token. */
  isExpired = false;
  /** Tenants that have granted it to install itself. */
  readonly installsIn = new Set<string>();

  constructor(name: string, tenantId: string) {
    this.name = name;
    this.tenantId = tenantId;
  }

  /** The bot in activities. */
  get id(): string {
    return `28:${this.appId}`;
  }
}
