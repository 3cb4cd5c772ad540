export {
  mintmark as DELETE,
  mintmark as GET,
  mintmark as HEAD,
  mintmark as OPTIONS,
  mintmark as PATCH,
  mintmark as POST,
  mintmark as PUT,
} from '../../../mintmark/mintmark'
