export { toExpress, toExpressEndpoint } from './to-express.ts'
