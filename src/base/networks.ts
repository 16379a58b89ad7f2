/** The networks of a client. Addresses are IPv4, or IPv6 written with all eight groups. */

/** Returns the network that one client controls: the IPv4 address, or the /64 of an IPv6 address. */
export function networkOf(ip: string): string {
  return ip.includes(':') ? ip.split(':', 4).join(':') : ip;
}

/**
 * Returns the network within which one stranger may have many addresses: the /24 of an IPv4 address, or the /48 of an
 * IPv6 address.
 */
export function siteOf(ip: string): string {
  return ip.includes(':') ? ip.split(':', 3).join(':') : ip.split('.', 3).join('.');
}
