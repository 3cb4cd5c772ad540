import type { IncomingMessage } from 'node:http'
import { BlockList, isIP, isIPv6 } from 'node:net'

/**
 * Creates a function that returns the browser's IP address. The last address of `X-Forwarded-For` that is not a trusted proxy
 * is the browser's; everything before it was written by the browser.
 * @param trustedProxies addresses and networks such as `10.0.0.0/8`, and `loopback`, separated by commas.
 */
export function clientAddress(
  trustedProxies: string,
): (request: Pick<IncomingMessage, 'headers' | 'socket'>) => string | undefined {
  const trusted = networksOf(trustedProxies)
  return ({ headers, socket }) => {
    const forwarded = String(headers['x-forwarded-for'] ?? '').split(',')
    const path = [...forwarded, socket.remoteAddress ?? ''].map((address) => address.trim()).filter(Boolean)
    return path.findLast((address) => !isIn(trusted, address)) ?? path[0]
  }
}

function networksOf(list: string): BlockList {
  const networks = new BlockList()
  const entries = list.split(',').map((entry) => entry.trim())
  for (const entry of entries.flatMap((name) => (name === 'loopback' ? ['127.0.0.0/8', '::1/128'] : [name]))) {
    if (entry === '') continue
    const [address = '', bits] = entry.split('/')
    if (isIP(address) === 0) throw new Error(`TRUSTED_PROXIES contains ${entry}, which is not an address or a network.`)
    networks.addSubnet(address, Number(bits ?? (isIPv6(address) ? 128 : 32)), familyOf(address))
  }
  return networks
}

const isIn = (networks: BlockList, address: string): boolean =>
  isIP(address) !== 0 && networks.check(address, familyOf(address))

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIPv6(address) ? 'ipv6' : 'ipv4')
