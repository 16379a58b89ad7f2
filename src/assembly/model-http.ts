import { dnsAddresses, trustedHostsOr } from '../base/find-addresses.ts';
import { addressesIn, publicOr } from '../base/public-address.ts';
import { ModelHttp } from '../models/http/model-http.ts';
import type { PartDeps } from './gateway-deps.ts';

/** Requests to models, which go to no address of this machine's network but those that are allowed. Closes with the gateway. */
export function modelHttp({ settings, clock, readingTime, closers }: PartDeps): ModelHttp {
  const { allow } = settings.models;
  const findAddresses = trustedHostsOr(dnsAddresses(), addressesIn(allow));
  const http = new ModelHttp({ findAddresses, isOpen: publicOr(allow), clock, readingTime });
  closers.push(async () => http.close());
  return http;
}
