import * as z from 'zod';
import { OcsError } from '../http/nc-answer.ts';
import { type OcsRoute, userRoute } from '../http/ocs-route.ts';
import { whole } from '../http/parameters.ts';
import { PERMISSION } from '../world/attendee.ts';
import type { FakeRoom } from '../world/fake-room.ts';
import type { FakeFile } from './file-tree.ts';

/** A share with a conversation. */
const ROOM_SHARE = 10;

const TalkMetaData = z.strictObject({
  messageType: z.enum(['comment', 'voice-message']).optional(),
  caption: z.string().optional(),
  replyTo: z.number().int().optional(),
  silent: z.boolean().optional(),
  threadId: z.number().int().optional(),
});

/** https://docs.nextcloud.com/server/latest/developer_manual/client_apis/OCS/ocs-share-api.html, with Talk's share provider. */
export const SHARE_ROUTES: readonly OcsRoute[] = [
  userRoute({
    name: 'share.create',
    method: 'POST',
    path: 'apps/files_sharing/api/v1/shares',
    params: z.strictObject({
      path: z.string(),
      shareType: whole,
      shareWith: z.string(),
      referenceId: z.string().optional(),
      talkMetaData: z.string().optional(),
      permissions: whole.optional(),
    }),
    handle: ({ world, user, params }) => {
      const path = params.path.replaceAll(/^\/+|\/+$/g, '');
      const file = user.files.files.get(path);
      if (!file) throw new OcsError(404, { message: 'Wrong path, file/folder does not exist' });
      if (params.shareType !== ROOM_SHARE)
        throw new OcsError(400, { message: 'Unknown share type', isMistake: true });
      const room = world.rooms.get(params.shareWith);
      const attendee = room?.attendees.get(user.uid);
      if (!room || !attendee) throw new OcsError(404, { message: 'Conversation not found' });
      if (room.isReadOnly || !attendee.may(PERMISSION.chat))
        throw new OcsError(403, { message: 'Conversation not found' });
      if (isShared(room, file))
        throw new OcsError(403, { message: 'Path is already shared with this conversation' });
      const { caption = '', replyTo = 0, threadId = null, silent = false } = metaDataIn(params.talkMetaData);
      const name = path.slice(path.lastIndexOf('/') + 1);
      const { id } = room.share(user, file, {
        name,
        caption,
        replyTo: room.chat.byId(replyTo) ?? null,
        referenceId: params.referenceId ?? '',
        thread: threadId,
        isSilent: silent,
      });
      return {
        status: 200,
        data: {
          id: `${id}`,
          share_type: ROOM_SHARE,
          uid_owner: user.uid,
          displayname_owner: user.displayName,
          permissions: params.permissions ?? 17,
          can_edit: true,
          can_delete: true,
          stime: world.now(),
          parent: null,
          expiration: null,
          token: null,
          uid_file_owner: user.uid,
          note: '',
          label: '',
          displayname_file_owner: user.displayName,
          path: `/${path}`,
          item_type: 'file',
          mimetype: file.mime,
          item_source: file.id,
          file_source: file.id,
          file_target: `/{TALK_PLACEHOLDER}/${name}`,
          share_with: room.token,
          share_with_displayname: room.nameFor(user.uid),
          mail_send: 0,
          hide_download: 0,
        },
      };
    },
  }),
];

function isShared({ messages }: FakeRoom, file: FakeFile): boolean {
  return messages.some((message) => message.verb === 'object_shared' && message.file === file);
}

/** Talk ignores what it cannot read; a client that sends it has made a mistake. */
function metaDataIn(text = '{}'): z.output<typeof TalkMetaData> {
  try {
    return TalkMetaData.parse(JSON.parse(text));
  } catch (error) {
    throw new OcsError(400, { message: `talkMetaData: ${error}`, isMistake: true });
  }
}
