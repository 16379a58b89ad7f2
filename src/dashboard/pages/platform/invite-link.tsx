import { useState } from 'preact/hooks';
import { ask } from '../../api/request.ts';
import { Action } from '../../parts/action.tsx';
import { Card } from '../../parts/card.tsx';
import { Copyable } from '../../parts/copy.tsx';
import { Moment } from '../../parts/moment.tsx';
import { QrCode } from '../../parts/qr-code.tsx';
import { texts } from '../../texts.ts';

const t = texts.invites;

interface Invite {
  /** Null: the gateway does not know where people write to. */
  readonly url: string | null;
  /** What people send, unless the link carries it. */
  readonly code: string | null;
  readonly expiresAt: string | null;
}

/** A link with which people reach the agents, also to be scanned with a phone. */
export function InviteLink({ platform }: { readonly platform: string }) {
  const [invite, setInvite] = useState<Invite>();
  return (
    <Card title={t.title} hint={t.explanation}>
      {invite && <Shown {...invite} />}
      <div class="row">
        <Action class={invite ? '' : 'primary'} run={async () => setInvite(await inviteFor(platform))}>
          {invite ? t.another : t.make}
        </Action>
      </div>
    </Card>
  );
}

function Shown({ url, code, expiresAt }: Invite) {
  return (
    <>
      {url !== null && (
        <>
          <QrCode text={url} label={t.qr} />
          <Copyable text={url} label={t.link} />
        </>
      )}
      {code !== null && (
        <>
          <p class="small">{t.sendCode}</p>
          <Copyable text={code} label={t.code} />
        </>
      )}
      {expiresAt !== null && (
        <p class="quiet small">
          {t.expires} <Moment iso={expiresAt} />
        </p>
      )}
    </>
  );
}

async function inviteFor(platform: string): Promise<Invite> {
  if (platform === 'whatsapp') {
    const {
      whatsapp_url: url,
      invite_token: token,
      expires_at: expiresAt,
    } = await ask('POST /api/invite-link');
    return { url, code: url === null ? token : null, expiresAt };
  }
  const link = await ask('POST /api/{platform}/connect', { params: { platform } });
  return { url: link.deep_link, code: link.code, expiresAt: link.expires_at };
}
