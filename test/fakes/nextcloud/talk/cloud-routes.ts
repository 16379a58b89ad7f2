import type { OcsCall, OcsRoute } from '../http/ocs-route.ts';
import { openRoute, userRoute } from '../http/ocs-route.ts';
import { MOST_CHARACTERS } from '../world/chat-log.ts';

/** https://nextcloud-talk.readthedocs.io/en/latest/capabilities/, as of Talk 21. */
const FEATURES = `
  audio video chat-v2 conversation-v4 guest-signaling empty-group-room guest-display-names
  multi-room-users favorites last-room-activity no-ping system-messages delete-messages
  delete-messages-unlimited edit-messages mention-flag in-call-flags conversation-call-flags
  notification-levels invite-groups-and-mails locked-one-to-one-rooms read-only-rooms listable-rooms
  chat-read-marker chat-unread webinary-lobby start-call-flag chat-replies circles-support force-mute
  sip-support sip-support-nopin chat-read-status phonebook-search raise-hand room-description
  rich-object-sharing temp-user-avatar-api geo-location-sharing voice-message-sharing signaling-v3
  publishing-permissions clear-history direct-mention-flag notification-calls conversation-permissions
  rich-object-list-media rich-object-delete reactions message-expiration silent-send silent-send-state
  silent-call send-call-notification talk-polls breakout-rooms-v1 recording-v1 avatar chat-get-context
  single-conversation-status chat-keep-notifications typing-privacy remind-me-later bots-v1
  markdown-messages media-caption session-state note-to-self recording-consent sip-support-dialout
  chat-read-last federation-v1 ban-v1 chat-reference-id mention-permissions archived-conversations-v2
  talk-polls-drafts chat-permission call-end-to-end-encryption
`
  .trim()
  .split(/\s+/);

/** `tokenKey`: that of the tokens which clients show to the signaling server. */
export function cloudRoutes(tokenKey: string): readonly OcsRoute[] {
  return [
    openRoute({
      name: 'capabilities',
      method: 'GET',
      path: 'cloud/capabilities',
      handle: (call) => ({ status: 200, data: capabilities(call, tokenKey) }),
    }),
    userRoute({
      name: 'user',
      method: 'GET',
      path: 'cloud/user',
      handle: ({ user: { uid, displayName, isDisabled, isAdmin } }) => ({
        status: 200,
        data: {
          enabled: !isDisabled,
          id: uid,
          email: null,
          displayname: displayName,
          'display-name': displayName,
          groups: isAdmin ? ['admin'] : [],
          language: 'en',
          locale: '',
        },
      }),
    }),
  ];
}

function capabilities({ world, user }: OcsCall<unknown>, tokenKey: string): object {
  const { encryptsCalls, recordingConsent, startCalls, withoutFeatures } = world.policy;
  return {
    version: { major: 31, minor: 0, micro: 5, string: '31.0.5', edition: '', extendedSupport: false },
    capabilities: {
      core: { pollinterval: 60, 'webdav-root': 'remote.php/webdav', 'mod-rewrite-working': true },
      files: { bigfilechunking: true },
      dav: { chunking: '1.0' },
      files_sharing: { api_enabled: true },
      spreed: {
        features: FEATURES.filter((each) => !withoutFeatures.has(each)),
        'features-local': [],
        config: {
          attachments: { allowed: user !== null, ...(user && { folder: '/Talk' }) },
          call: {
            enabled: startCalls !== 3,
            'breakout-rooms': true,
            recording: false,
            'recording-consent': recordingConsent,
            'supported-reactions': ['❤️', '🎉'],
            'sip-enabled': false,
            'sip-dialout-enabled': false,
            'can-enable-sip': false,
            'start-without-media': false,
            'max-duration': 0,
            'end-to-end-encryption': encryptsCalls,
          },
          chat: { 'max-length': MOST_CHARACTERS, 'read-privacy': 0, 'typing-privacy': 0 },
          conversations: { 'can-create': user !== null, 'force-passwords': false },
          previews: { 'max-gif-size': 3_145_728 },
          signaling: { 'session-ping-limit': 200, 'hello-v2-token-key': tokenKey },
        },
        'config-local': {},
        version: '21.1.0',
      },
    },
  };
}
