import { useEffect, useState } from 'preact/hooks';
import type { Answers } from '../api/answers.ts';
import { ask, BASE_PATH } from '../api/request.ts';
import { useDraft, valuesOf } from '../parts/draft.ts';
import { Field, Form } from '../parts/form.tsx';
import { PasswordField } from '../parts/password-field.tsx';
import { texts } from '../texts.ts';
import { Gate } from './gate.tsx';

const t = texts.signIn;

/** Signs in or up. The page stays where it was, so that it shows afterwards what was asked for. */
export function SignIn({ onDone }: { onDone(): Promise<void> }) {
  const draft = useDraft({ email: '', password: '', invite_code: '' });
  const [isNew, setIsNew] = useState(false);
  const [options, setOptions] = useState<Answers['GET /auth/options']>();

  useEffect(() => {
    ask('GET /auth/options').then(setOptions, () => {});
  }, []);

  const submit = async (): Promise<void> => {
    const { invite_code, ...login } = valuesOf(draft);
    const invited = invite_code === '' ? login : { ...login, invite_code };
    if (isNew) await ask('POST /auth/signup', { body: invited });
    await ask('POST /auth/login', { body: login });
    await onDone();
  };

  const { signup = 'closed', providers = [] } = options ?? {};
  return (
    <Gate title={isNew ? t.create : t.title}>
      <Form submit={submit} action={isNew ? t.create : t.title}>
        <Field label={t.email} type="email" of={draft.email} required autocomplete="username" />
        <PasswordField label={t.password} isNew={isNew} of={draft.password} />
        {isNew && signup === 'invite' && (
          <Field label={t.inviteCode} of={draft.invite_code} required autocomplete="off" />
        )}
      </Form>
      {providers.map((name) => (
        <a key={name} class="button" href={`${BASE_PATH}/auth/oauth/${encodeURIComponent(name)}/start`}>
          {t.continueWith(name)}
        </a>
      ))}
      <p class="row spread small">
        {signup !== 'closed' && (
          <button type="button" class="link" onClick={() => setIsNew(!isNew)}>
            {isNew ? t.known : t.create}
          </button>
        )}
        <a href={`${BASE_PATH}/auth/reset-password`}>{t.forgotten}</a>
      </p>
    </Gate>
  );
}
