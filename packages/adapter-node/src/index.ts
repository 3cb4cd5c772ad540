export { peerCertificate } from './peer-certificate.ts'
export { toNodeEndpoint, toNodeHandler, toNodeListener } from './to-node-handler.ts'
