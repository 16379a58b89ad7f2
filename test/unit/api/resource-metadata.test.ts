import { expect, it } from 'vitest';
import { metadataRoutes, resourceMetadataUrl } from '../../../src/api/authorization/metadata.ts';
import { authorizationWorld, ISSUER } from '../authorization/test-domain.ts';
import { served } from './served.ts';

it.each(['/mcp', '/mcp/'])('describes the resource %s in exactly that spelling', async (path) => {
  const { url } = await served(metadataRoutes((await authorizationWorld()).domain));
  const told = resourceMetadataUrl(ISSUER, path);
  expect(told.startsWith(`${ISSUER}/.well-known/`)).toBe(true);
  const answer = await fetch(told.replace(ISSUER, url), { headers: { Origin: 'https://page.example' } });
  expect(await answer.json()).toMatchObject({ resource: ISSUER + path, authorization_servers: [ISSUER] });
  expect(answer.headers.get('access-control-allow-origin')).toBe('https://page.example');
});
