import type { ServerEventBus } from '@modelcontextprotocol/server';
import type { Principal } from '../../auth/principal.ts';
import type { Transcripts } from '../mcp-contents.ts';

/** Changes of the transcripts that a principal may read. */
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
