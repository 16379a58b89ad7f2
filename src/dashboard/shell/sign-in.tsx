import { useEffect, useState } from 'preact/hooks';
import type { Answers } from '../api/answers.ts';
import { ask, BASE_PATH } from '../api/request.ts';
import { Field, Form } from '../parts/form.tsx';
import { PasswordField } from '../parts/password-field.tsx';
import { texts } from '../texts.ts';
import { Gate } from './gate.tsx';

const t = texts.signIn;

/** Signs in or up. The page stays where it was, so that it shows afterwards what was asked for. */
export function SignIn({ onDone }: { onDone(): Promise<void> }) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [inviteCode, setInviteCode] = useState('');
  const [isNew, setIsNew] = useState(false);
  const [options, setOptions] = useState<Answers['GET /auth/options']>();

  useEffect(() => {
    ask('GET /auth/options').then(setOptions, () => {});
  }, []);

  const submit = async (): Promise<void> => {
    if (isNew) {
      const invited = inviteCode === '' ? {} : { invite_code: inviteCode };
      await ask('POST /auth/signup', { body: { email, password, ...invited } });
    }
    await ask('POST /auth/login', { body: { email, password } });
    await onDone();
  };

  const { signup = 'closed', providers = [] } = options ?? {};
  return (
    <Gate title={isNew ? t.create : t.title}>
      <Form submit={submit} action={isNew ? t.create : t.title}>
        <Field
          label={t.email}
          type="email"
          value={email}
          onValue={setEmail}
          required
          autocomplete="username"
        />
        <PasswordField label={t.password} isNew={isNew} value={password} onValue={setPassword} />
        {isNew && signup === 'invite' && (
          <Field
            label={t.inviteCode}
            value={inviteCode}
            onValue={setInviteCode}
            required
            autocomplete="off"
          />
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
