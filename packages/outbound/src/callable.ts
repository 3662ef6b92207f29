/** An address that must not be called; the message names the host and the remedy, never what was found behind it. */
export class OutboundRefused extends Error {
  override readonly name = 'OutboundRefused'
}

/** Ports of mail and the like, which no HTTP client calls: the list of the fetch standard, "bad port". */
const BAD_PORTS = new Set(
  (
    '1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115 117 119 123 ' +
    '135 137 139 143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 548 554 556 563 587 601 636 989 990 993 ' +
    '995 1719 1720 1723 2049 3659 4045 4190 5060 5061 6000 6566 6665 6666 6667 6668 6669 6679 6697 10080'
  ).split(' '),
)

/** Throws OutboundRefused for an address that is never called, wherever its name leads. */
export function requireCallable(url: URL): void {
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new OutboundRefused(`Addresses that begin with ${url.protocol} are not called: use https:.`)
  if (url.username !== '' || url.password !== '')
    throw new OutboundRefused(
      `The address at ${url.host} holds a user name or password: send credentials in a header instead.`,
    )
  if (BAD_PORTS.has(url.port)) throw new OutboundRefused(`Port ${url.port} is one that no HTTP server has.`)
}
