import { expect, it } from 'vitest'

import { isPublicAddress } from './public-address.ts'

it.each([
  '8.8.8.8',
  '1.1.1.1',
  '100.63.255.255',
  '100.128.0.1',
  '172.15.0.1',
  '172.32.0.1',
  '192.0.1.1',
  '223.255.255.255',
])('accepts %s (RFC 6890 §2.2.2)', (address) => {
  expect(isPublicAddress(address)).toBe(true)
})

it.each([
  '2606:4700:4700::1111',
  '2a00:1450:4001:80b::200e',
  '2001:4860:4860::8888',
  '64:ff9b::8.8.8.8',
  '64:ff9b::808:808',
])('accepts %s (RFC 6890 §2.2.3)', (address) => {
  expect(isPublicAddress(address)).toBe(true)
})

it.each([
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '127.0.0.1',
  '127.255.255.254',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.1',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.1.1',
  '198.18.0.1',
  '198.19.255.255',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
])('refuses %s (RFC 6890 §2.2.2)', (address) => {
  expect(isPublicAddress(address)).toBe(false)
})

it.each([
  '::',
  '::1',
  '::ffff:10.0.0.1',
  '::ffff:8.8.8.8',
  '::10.0.0.1',
  '64:ff9b::10.0.0.1',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b:1::1',
  '100::1',
  '2001::1',
  '2001:20::1',
  '2001:db8::1',
  '2002:a00:1::1',
  '3fff::1',
  'fc00::1',
  'fd12:3456::1',
  'fe80::1',
  'fe80::1%eth0',
  'fec0::1',
  'ff02::1',
])('refuses %s (RFC 6890 §2.2.3)', (address) => {
  expect(isPublicAddress(address)).toBe(false)
})

it.each([
  '',
  'localhost',
  '8.8.8',
  '8.8.8.8.8',
  '08.8.8.8',
  '256.1.1.1',
  '2606:4700::1::2',
  '2606:4700',
  '2606:47000::1',
  ':',
  '1:2:3:4:5:6:7:8:9',
])('refuses %o, which is not an address', (text) => {
  expect(isPublicAddress(text)).toBe(false)
})
