// One story, told by twelve agents: a few weeks in a small web shop. It is data: each agent's writer turns its part of it
// into that agent's own files. Nothing in it is real; the key is made up.

export const project = '/home/dev/shop'

const user = (text) => ({ kind: 'user', text })
const say = (text) => ({ kind: 'say', text })
const think = (text) => ({ kind: 'think', text })
const shell = (command, output, code = 0) => ({ kind: 'shell', command, output, code })
const read = (path, output) => ({ kind: 'read', path: `${project}/${path}`, output })
const edit = (path, before, after) => ({ kind: 'edit', path: `${project}/${path}`, before, after })

/** @type {readonly { agent: string, title: string, start: string, model: string, steps: readonly object[] }[]} */
export const story = [
  {
    agent: 'claude',
    title: 'Customers get their refund twice',
    start: '2026-11-14T09:12:04Z',
    model: 'claude-opus-4-8',
    steps: [
      user('Support says that some customers get their refund twice. Orders 1042 and 1057. Can you find out why?'),
      think('Twice, but only for some. That smells of a retried webhook. I look at how a refund is made first.'),
      say('I start where refunds are made.'),
      shell(
        'grep -rn "refund" src --include=*.ts -l',
        'src/refunds.ts\nsrc/webhooks/payment.ts\nsrc/mail/refund-note.ts',
      ),
      read(
        'src/webhooks/payment.ts',
        "export async function onPayment(event: PaymentEvent) {\n  if (event.type === 'refund.requested') {\n    await refunds.pay(event.orderId, event.amount)\n  }\n}\n",
      ),
      say(
        'The payment provider sends a webhook again when our answer takes longer than 10 seconds. `onPayment` pays each time: nothing tells the second delivery from the first.',
      ),
      user('Makes sense. Fix it, and prove it with a test.'),
      edit(
        'src/webhooks/payment.ts',
        '    await refunds.pay(event.orderId, event.amount)',
        '    await refunds.payOnce(event.id, event.orderId, event.amount)',
      ),
      edit(
        'src/refunds.ts',
        'export async function pay(',
        "/** The event's id is the idempotency key: a second delivery of it pays nothing. */\nexport async function payOnce(eventId: string, orderId: number, amount: Cents) {\n  const first = await db.insertIgnore('refund_events', { id: eventId, order_id: orderId })\n  return first ? pay(orderId, amount) : alreadyPaid(eventId)\n}\n\nexport async function pay(",
      ),
      shell(
        'npm test -- refunds',
        ' ✓ src/refunds.test.ts (4 tests) 212ms\n   ✓ pays a refund\n   ✓ pays once when the webhook is delivered twice\n   ✓ pays two refunds of one order\n   ✓ refuses more than was paid\n\n Tests  4 passed (4)',
      ),
      say(
        'Fixed. A refund now has the id of its webhook event as idempotency key, kept in `refund_events`. The new test delivers the same event twice and sees one payment. Orders 1042 and 1057 were both delivered twice on 9 November, 11 seconds apart.',
      ),
      user('Does staging use the same provider account? Please check.'),
      shell(
        'cat .env.staging',
        'DATABASE_URL=postgres://db.internal/shop\nPAYMENTS_API_KEY=pay_4f9c21e7ab3058d6f1c4e2b79a60d813\nPAYMENTS_ACCOUNT=acct_staging\nALERTS_TO=ann@shop.example\n',
      ),
      say('No: staging has an account of its own, `acct_staging`. The live account is not touched from there.'),
    ],
  },
  {
    agent: 'claude',
    title: 'Where to keep login sessions',
    start: '2026-10-21T13:40:11Z',
    model: 'claude-opus-4-8',
    steps: [
      user(
        'We must decide on auth before the mobile app starts: JWT, or sessions in Redis? Look at what we have and recommend one.',
      ),
      shell(
        'grep -rn "cookie\\|jwt" src/auth | head',
        "src/auth/login.ts:14:  res.cookie('sid', id, { httpOnly: true })\nsrc/auth/guard.ts:8:  const sid = req.cookies.sid",
      ),
      read(
        'src/auth/guard.ts',
        'export async function guard(req, res, next) {\n  const sid = req.cookies.sid\n  req.user = await memoryStore.get(sid)\n  next()\n}\n',
      ),
      say(
        'My recommendation: **sessions in Redis, not JWT**.\n\n1. "Log out everywhere" must work the same second. With JWT it needs a deny list, which is a session store again.\n2. Roles change (staff, refunds over 100 €). A token would carry the old role until it expires.\n3. We run Redis for the queue already.\n\nThe price: one look-up per request, about 0.4 ms here.',
      ),
      user('Agreed. Write it down as a decision record.'),
      edit(
        'docs/decisions/0007-auth.md',
        '',
        '# 7. Sessions in Redis, not JWT\n\nDecided 2026-10-21. Login sessions are kept in Redis under `sid:<id>`, 30 days, renewed on use.\nWe do not use JWT: revoking must be immediate, and roles change while people are logged in.\n',
      ),
      say(
        'Written: `docs/decisions/0007-auth.md`. It names the one case that would change our mind: a second service that must check logins without reaching Redis.',
      ),
    ],
  },
  {
    agent: 'codex',
    title: 'Fix the checkout test that fails after midnight',
    start: '2026-11-12T22:31:40Z',
    model: 'gpt-5-codex',
    steps: [
      user('checkout.test.ts fails in CI, but only at night. Find out why and fix it.'),
      shell(
        'npx vitest run src/checkout.test.ts',
        ' FAIL  src/checkout.test.ts > delivery date is tomorrow\n AssertionError: expected 2026-11-12 to be 2026-11-13\n\n Tests  1 failed | 11 passed (12)',
        1,
      ),
      think('It is 22:31 UTC, which is 23:31 in Berlin. The test makes "tomorrow" in local time and the code in UTC.'),
      read(
        'src/delivery.ts',
        'export function deliveryDate(now = new Date()) {\n  const day = new Date(now)\n  day.setDate(day.getDate() + 1)\n  return day.toISOString().slice(0, 10)\n}\n',
      ),
      edit('src/delivery.ts', '  day.setDate(day.getDate() + 1)', '  day.setUTCDate(day.getUTCDate() + 1)'),
      shell(
        'TZ=Europe/Berlin npx vitest run src/checkout.test.ts',
        ' ✓ src/checkout.test.ts (12 tests) 96ms\n\n Tests  12 passed (12)',
      ),
      say(
        'The date was moved in local time and written in UTC, so between 23:00 and midnight in Berlin a day was missing. It is counted in UTC throughout now; the test passes in three time zones.',
      ),
    ],
  },
  {
    agent: 'codex',
    title: 'The orders page takes six seconds',
    start: '2026-11-03T10:05:22Z',
    model: 'gpt-5-codex',
    steps: [
      user('The orders page takes six seconds for large customers. Find the slow query.'),
      shell(
        'psql shop -c "EXPLAIN ANALYZE SELECT * FROM orders WHERE customer_id = 88 ORDER BY created_at DESC LIMIT 20"',
        ' Limit (actual time=5871.202..5871.209 rows=20)\n   -> Sort (actual time=5871.200..5871.204)\n         -> Seq Scan on orders (actual time=0.021..5604.118 rows=41207)\n Execution Time: 5871.3 ms',
      ),
      say(
        'A sequential scan over all orders. There is an index on `customer_id` in the schema file, but not in the database: migration 0031 was never run here.',
      ),
      shell(
        'psql shop -c "CREATE INDEX CONCURRENTLY orders_customer_created ON orders (customer_id, created_at DESC)"',
        'CREATE INDEX',
      ),
      shell(
        'psql shop -c "EXPLAIN ANALYZE SELECT * FROM orders WHERE customer_id = 88 ORDER BY created_at DESC LIMIT 20"',
        ' Limit (actual time=0.031..0.055 rows=20)\n   -> Index Scan using orders_customer_created on orders\n Execution Time: 0.08 ms',
      ),
      say(
        'From 5.9 s to 0.1 ms. The index is made without locking the table; I added it as migration 0034 so that every database gets it.',
      ),
    ],
  },
  {
    agent: 'copilot',
    title: 'Checkout button hidden behind the footer on phones',
    start: '2026-11-10T15:22:00Z',
    model: 'gpt-4.1',
    steps: [
      user('On small phones the checkout button is hidden behind the footer. Fix the CSS, no JavaScript please.'),
      read(
        'public/styles/cart.css',
        '.footer { position: fixed; bottom: 0; height: 64px }\n.cart   { padding: 16px }\n.checkout { width: 100% }\n',
      ),
      edit(
        'public/styles/cart.css',
        '.cart   { padding: 16px }',
        '.cart   { padding: 16px 16px calc(64px + 16px + env(safe-area-inset-bottom)) }',
      ),
      say(
        'The footer is fixed and 64 px high, and nothing kept that space free. The cart now has padding for it, and for the home bar of newer phones. No JavaScript.',
      ),
      user('Looks right on my phone. Thanks!'),
      say('Good. The change is one line in `public/styles/cart.css`.'),
    ],
  },
  {
    agent: 'opencode',
    title: 'Migrate order numbers to UUIDs',
    start: '2026-11-07T08:15:30Z',
    model: 'claude-sonnet-4-5',
    steps: [
      user('Plan and write the migration of orders.id from integers to UUIDs. The shop must stay open.'),
      shell(
        'psql shop -Atc "SELECT conrelid::regclass FROM pg_constraint WHERE confrelid = \'orders\'::regclass"',
        'order_lines\nrefund_events\nshipments',
      ),
      say(
        'Three tables point to `orders`. In four steps, each safe on its own:\n\n1. add `uuid` to `orders`, filled by a default\n2. add `order_uuid` to the three tables, filled in batches of 5,000\n3. write both, read the new one\n4. drop the old columns, a release later',
      ),
      edit(
        'migrations/0035_orders_uuid.sql',
        '',
        'ALTER TABLE orders ADD COLUMN uuid uuid NOT NULL DEFAULT gen_random_uuid();\nCREATE UNIQUE INDEX CONCURRENTLY orders_uuid ON orders (uuid);\n',
      ),
      shell('npm run migrate -- --dry-run', '0035_orders_uuid: ok (2 statements, no table rewrite)'),
      say(
        'Step 1 is written as migration 0035. It takes no long lock: a volatile default fills new rows, and the old ones are filled by the batch job of step 2.',
      ),
    ],
  },
  {
    agent: 'auggie',
    title: 'How does a refund travel through the code?',
    start: '2026-11-13T11:02:45Z',
    model: 'claude-sonnet-4-5',
    steps: [
      user('I am new here. How does a refund travel through the code, from the button to the bank?'),
      shell('grep -rn "refund" src --include=*.ts | wc -l', '37'),
      read(
        'src/refunds.ts',
        'export async function pay(orderId: number, amount: Cents) {\n  await ledger.book(orderId, -amount)\n  await provider.refund(orderId, amount)\n  await mail.refundNote(orderId)\n}\n',
      ),
      say(
        'In four stops:\n\n1. `routes/staff/refund.ts`: the button. Checks the role; over 100 € it wants a second person.\n2. `webhooks/payment.ts`: the provider answers with `refund.requested`.\n3. `refunds.ts`: books it in the ledger, asks the provider to pay, in this order.\n4. `mail/refund-note.ts`: tells the customer.\n\nThe ledger comes first, so that a crash in between leaves a booked refund to be paid and never a paid one without a booking.',
      ),
    ],
  },
  {
    agent: 'goose',
    title: 'Empty old carts every night',
    start: '2026-10-30T19:48:10Z',
    model: 'gpt-4o',
    steps: [
      user('Write a nightly job that deletes carts nobody has touched for 30 days. Keep those of logged-in customers.'),
      shell(
        'psql shop -Atc "SELECT count(*) FROM carts WHERE updated_at < now() - interval \'30 days\' AND customer_id IS NULL"',
        '18244',
      ),
      edit(
        'jobs/empty-old-carts.ts',
        '',
        "export const schedule = '15 3 * * *'\nexport async function run() {\n  // In slices: one large DELETE would block the cart page.\n  while ((await db.deleteOldCarts({ days: 30, limit: 500 })) === 500);\n}\n",
      ),
      shell('npm run job -- empty-old-carts --dry-run', 'would delete 18244 carts in 37 slices'),
      say(
        'The job runs at 03:15 and deletes in slices of 500. The dry run finds 18,244 carts, none of a logged-in customer.',
      ),
    ],
  },
  {
    agent: 'amazon-q',
    title: 'Move the product images to a bucket',
    start: '2026-10-25T14:20:00Z',
    model: 'claude-sonnet-4',
    steps: [
      user('Move the product images from disk to an object bucket, with the old URLs still working.'),
      shell('du -sh public/images && ls public/images | wc -l', '3.1G\tpublic/images\n12480'),
      say(
        '12,480 files, 3.1 GB. I copy them with their names kept, and let `/images/*` answer with a permanent redirect to the bucket, so that old links and search engines keep working.',
      ),
      edit(
        'src/routes/images.ts',
        "app.use('/images', express.static('public/images'))",
        "app.get('/images/:name', (req, res) => res.redirect(301, bucketUrl(req.params.name)))",
      ),
      shell('npm test -- images', ' ✓ src/routes/images.test.ts (3 tests)'),
      say(
        'Done: the route redirects, and `scripts/copy-images.sh` copies with checksums. Run the script first, then deploy.',
      ),
    ],
  },
  {
    agent: 'kiro',
    title: 'Spec for gift cards',
    start: '2026-11-09T16:35:00Z',
    model: 'claude-sonnet-4.5',
    steps: [
      user('Draft a short spec for gift cards. What happens with a refund of an order that was paid with one?'),
      read('docs/ledger.md', 'Every amount is booked twice. A balance is the sum of its bookings.\n'),
      say(
        '**Gift cards, draft**\n\n- A card is an account in the ledger; its balance is the sum of its bookings.\n- A card is bought like a product and is active once paid.\n- A refund goes back the way the money came: first to the card up to what the card paid, the rest to the bank.\n- Cards do not expire (the law here asks for at least three years).\n\nOpen: may a refund bring a card above the price it was sold for? I would say no.',
      ),
      user('No is right. Save it.'),
      edit(
        'docs/specs/gift-cards.md',
        '',
        '# Gift cards\n\nA card is an account in the ledger. A refund never brings a card above the price it was sold for.\n',
      ),
      say('Saved as `docs/specs/gift-cards.md`.'),
    ],
  },
  {
    agent: 'gemini',
    title: 'Limit login attempts',
    start: '2026-11-05T09:55:18Z',
    model: 'gemini-2.5-pro',
    steps: [
      user(
        'Add a limit to the login route: 10 attempts in 15 minutes for each address and account. Use the Redis we have.',
      ),
      think(
        'The decision of October keeps sessions in Redis, so the connection is there. A sliding window by sorted set is enough.',
      ),
      read('src/auth/redis.ts', 'export const redis = createClient({ url: process.env.REDIS_URL })\n'),
      edit(
        'src/auth/login.ts',
        'export async function login(req, res) {',
        "export async function login(req, res) {\n  if (!(await allow('login', [req.ip, req.body.email], { times: 10, minutes: 15 }))) return res.status(429).end()",
      ),
      shell('npm test -- auth', ' ✓ src/auth/limit.test.ts (5 tests) 48ms\n ✓ src/auth/login.test.ts (9 tests) 120ms'),
      say(
        'Login is limited by address and by account, with a sliding window in Redis beside the sessions. The eleventh attempt gets 429 and a Retry-After.',
      ),
    ],
  },
  {
    agent: 'cursor',
    title: 'Show the stock on the product page',
    start: '2026-11-11T12:10:05Z',
    model: 'gpt-5',
    steps: [
      user('Show "only 3 left" on the product page when the stock is low. It must not slow the page down.'),
      shell(
        'grep -n "stock" src/routes/product.ts src/views/product.html',
        'src/routes/product.ts:21:  const stock = await stockOf(sku)',
      ),
      say('The stock is loaded already and only not shown. I add it to the view.'),
      shell(
        'sed -i \'/<h1>/a <p class="stock">{{#low}}only {{stock}} left{{/low}}</p>\' src/views/product.html && git diff --stat',
        ' src/views/product.html | 1 +\n 1 file changed, 1 insertion(+)',
      ),
      say('Below five pieces the page now says how many are left. No new query: the number was there.'),
    ],
  },
  {
    agent: 'amp',
    title: 'Cart total is off by one cent',
    start: '2026-10-28T17:02:33Z',
    model: 'claude-sonnet-4-5',
    steps: [
      user('A customer sees 59.99 in the cart and 60.00 at checkout. Why?'),
      read(
        'src/cart.ts',
        'export const total = (lines) => lines.reduce((sum, l) => sum + l.price * l.quantity * (1 - l.discount), 0)\n',
      ),
      say('The cart rounds each line and checkout rounds the sum. 3 × 19.995 shows it.'),
      edit(
        'src/cart.ts',
        'sum + l.price * l.quantity * (1 - l.discount)',
        'sum + roundCents(l.price * l.quantity * (1 - l.discount))',
      ),
      shell('npm test -- cart', ' ✓ src/cart.test.ts (18 tests) 30ms'),
      say(
        'Both round each line to whole cents now, half away from zero, as the invoice does. The cart is computed in cents, so the refund of a single line also adds up.',
      ),
    ],
  },
  {
    agent: 'aider',
    title: 'Add a search box to the header',
    start: '2026-10-17T10:30:00Z',
    model: 'openai/gpt-4o',
    steps: [
      user('Add a search box to the header of every page. Plain HTML form, GET /search?q='),
      say('I add a form to the header; it works without JavaScript.'),
      edit(
        'src/views/header.html',
        '<nav>',
        '<form action="/search" method="get" role="search">\n  <input name="q" type="search" aria-label="Search the shop">\n</form>\n<nav>',
      ),
    ],
  },
  {
    agent: 'aider',
    title: 'Escape the search words',
    start: '2026-10-18T08:12:00Z',
    model: 'openai/gpt-4o',
    steps: [
      user('The search page prints the words unescaped. Fix that, it is an XSS.'),
      say('Right: `{{{q}}}` prints raw HTML. Two braces escape it.'),
      edit('src/views/search.html', '<h1>Results for {{{q}}}</h1>', '<h1>Results for {{q}}</h1>'),
    ],
  },
]
