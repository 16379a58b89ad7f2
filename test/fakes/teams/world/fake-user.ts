import { newGuid, newUserId } from './teams-ids.ts';

/** A user of a tenant. */
export class FakeUser {
  /** The id that only this bot sees. */
  readonly id = newUserId();
  readonly objectId = newGuid();
  readonly name: string;
  readonly tenantId: string;
  role: 'user' | 'guest' = 'user';

  constructor(name: string, tenantId: string) {
    this.name = name;
    this.tenantId = tenantId;
  }
}
