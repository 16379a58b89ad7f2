import type { ServerEventBus } from '@modelcontextprotocol/server';
import type { Principal } from '../auth/principal.ts';
import type { Transcripts } from './served.ts';

/** What changes in the transcripts that a principal may read, and in nobody else's. */
export function transcriptBus(transcripts: Transcripts, principal: Principal): ServerEventBus {
  return {
    publish() {},
    subscribe(listener) {
      const unwatch = transcripts.watch(principal, (uri) => listener({ kind: 'resource_updated', uri }));
      const unwatchList = transcripts.watchList(principal, () =>
        listener({ kind: 'resources_list_changed' }),
      );
      return () => {
        unwatch();
        unwatchList();
      };
    },
  };
}
