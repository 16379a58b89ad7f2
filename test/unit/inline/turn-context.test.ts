import { expect, test } from 'vitest';
import { PLATFORM_TRAITS, type PlatformTable } from '../../../src/base/platform.ts';
import type { CallDomain } from '../../../src/calls/call-domain.ts';
import { CallRegistry } from '../../../src/calls/call-registry.ts';
import type { InlineDomain } from '../../../src/inline/inline-domain.ts';
import { agentContextOf } from '../../../src/inline/turn/turn-context.ts';
import { messagingWorld, write } from '../messaging/messaging-world.ts';

const calls = { registry: new CallRegistry() } as unknown as CallDomain;

test.each([true, false])(
  'the model is told whether this gateway has files on the platform: %s',
  async (files) => {
    const world = await messagingWorld();
    await write(world, '42', { text: 'hello' });
    const { store, clock, scope, received } = world;
    const traits: PlatformTable = { ...PLATFORM_TRAITS, telegram: { ...PLATFORM_TRAITS.telegram, files } };
    const domain = { store, clock, calls, traits } as unknown as InlineDomain;
    const { conversationId } = received[0]!;
    const place = { kind: 'conversation', platform: 'telegram', conversationId } as const;
    const context = await agentContextOf({ domain, scope, place, turnId: 'dlv_1' });
    expect(context.place).toMatchObject({ conversationId, takesFiles: files });
  },
);
