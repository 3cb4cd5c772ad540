/**
 * Whether an IP address is globally reachable (RFC 6890). Everything else may belong to the host's own network:
 * loopback, private, link-local, shared, documentation and multicast addresses, and IPv6 addresses that contain such an
 * IPv4 address.
 * @param address as resolvers return it: dotted decimal, or any form of IPv6, with or without a zone.
 */
export function isPublicAddress(address: string): boolean {
  const bytes = address.includes(':') ? ipv6Bytes(address) : ipv4Bytes(address)
  if (bytes === undefined) return false
  if (bytes.length === 4) return !ipv4SpecialPurpose.some((block) => isWithin(bytes, block))

  // A translator (RFC 6052 §2.1) connects to the IPv4 address in the last four bytes.
  if (isWithin(bytes, nat64)) return isPublicAddress(bytes.slice(12).join('.'))
  return isWithin(bytes, globalUnicast) && !ipv6SpecialPurpose.some((block) => isWithin(bytes, block))
}

interface Block {
  readonly bytes: readonly number[]
  /** The number of bits that all addresses of the block share. */
  readonly length: number
}

const isWithin = (address: readonly number[], { bytes, length }: Block): boolean =>
  address.every((byte, index) => {
    const bits = Math.min(8, Math.max(0, length - index * 8))
    return byte >> (8 - bits) === (bytes[index] ?? 0) >> (8 - bits)
  })

function ipv4Bytes(text: string): readonly number[] | undefined {
  const parts = text.split('.')
  const isDecimal =
    parts.length === 4 && parts.every((part) => /^(?:0|[1-9][0-9]{0,2})$/.test(part) && Number(part) < 256)
  return isDecimal ? parts.map(Number) : undefined
}

/** Returns the 16 bytes of an IPv6 address, with or without a zone; `undefined` if it is not one. */
export function ipv6Bytes(text: string): readonly number[] | undefined {
  const [address = ''] = text.split('%')
  const halves = address.split('::')
  if (halves.length > 2) return undefined

  const [head, tail] = halves.map(groupsOf)
  if (head === undefined || (halves.length === 2 && tail === undefined)) return undefined
  const missing = 8 - head.length - (tail?.length ?? 0)
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined
  return [...head, ...Array.from({ length: missing }, () => 0), ...(tail ?? [])].flatMap((group) => [
    group >> 8,
    group & 255,
  ])
}

/** Returns the 16-bit groups of a part of an IPv6 address, which may end with an IPv4 address. */
function groupsOf(text: string): readonly number[] | undefined {
  if (text === '') return []
  const groups: number[] = []
  for (const part of text.split(':')) {
    const bytes = ipv4Bytes(part)
    if (bytes !== undefined) {
      const [first = 0, second = 0, third = 0, fourth = 0] = bytes
      groups.push(first * 256 + second, third * 256 + fourth)
    } else if (/^[0-9a-f]{1,4}$/i.test(part)) groups.push(Number.parseInt(part, 16))
    else return undefined
  }
  return groups
}

function parseBlock(text: string): Block {
  const [address = '', length] = text.split('/')
  const bytes = address.includes(':') ? ipv6Bytes(address) : ipv4Bytes(address)
  if (bytes === undefined) throw new Error(`${text} is not a block of IP addresses.`)
  return { bytes, length: Number(length) }
}

/**
 * https://www.iana.org/assignments/iana-ipv4-special-registry: blocks that are not globally reachable, and multicast.
 */
const ipv4SpecialPurpose = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
].map(parseBlock)

/** RFC 4291 §2.4: all other IPv6 addresses are special, local or not assigned. */
const globalUnicast = parseBlock('2000::/3')

/**
 * https://www.iana.org/assignments/iana-ipv6-special-registry: blocks within 2000::/3. A 6to4 address can contain any
 * IPv4 address.
 */
const ipv6SpecialPurpose = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'].map(parseBlock)

/** The prefix of IPv6 addresses that a translator maps to IPv4 addresses (RFC 6052 §2.1). */
const nat64 = parseBlock('64:ff9b::/96')
