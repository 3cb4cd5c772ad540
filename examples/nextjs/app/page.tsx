export default function Home() {
  return <h1>My product</h1>
}
