import Alerts
import JSON
import Postgres
import Storage
import TestKit
import Testing
import Values

/// Row-level security alone: statements that name the other store, sent by somebody who is no
/// member of it, as if the API had not asked.
@Suite("Isolation")
struct IsolationTests {
    /// Two stores that both have everything, and a person of the first.
    private func twoShops(
        _ body: (World, _ mine: Shop, _ theirs: Shop) async throws -> Void
    ) async throws {
        try await World.run { world in
            let mine = try await world.shop()
            let theirs = try await world.shop()
            for shop in [mine, theirs] {
                try await world.device(of: shop.owner)
                _ = try await world.post(
                    shop, World.order(shop, .ordersPaid, "p", order: .v7()))
                _ = try await world.post(
                    shop,
                    World.event(
                        shop, .inventoryStockChanged, "s",
                        [
                            "product_id": .text(UUID.v7().description),
                            "variant_id": .text(UUID.v7().description),
                            "location_id": .text(UUID.v7().description), "product_name": "T",
                            "quantity": 3,
                        ]))
                _ = try await world.post(
                    shop,
                    World.event(
                        shop, .conversationsMessageReceived, "c",
                        [
                            "conversation_id": .text(UUID.v7().description),
                            "message": ["id": "m", "kind": "text", "text": "oi"],
                        ]))
                try await world.run(shop.owner.credential) { transaction in
                    _ = try PreferenceStore.save(
                        shop.id, shop.owner.id, Preferences(kinds: ["orders.paid": true]),
                        in: transaction)
                    _ = try PreferenceStore.savePolicy(
                        shop.id, PushPolicy(required: ["orders.paid"]), by: shop.owner.id,
                        in: transaction)
                    _ = try Templates.save(
                        shop.id, kind: "orders.paid", language: "pt",
                        words: StoredWords(title: "t", body: "b"), by: shop.owner.id,
                        in: transaction)
                    try Mutes.set(
                        shop.id, shop.owner.id,
                        Mute(subject: .customer, id: "c", until: nil), in: transaction)
                    try Audit.write(
                        shop.id, actor: shop.owner.id.description, act: "test", subject: "x",
                        in: transaction)
                }
            }
            try await Decider(world: world).decide()
            try await body(world, mine, theirs)
        }
    }

    @Test("no table of stores shows another store's rows, nor lets them be changed or added to")
    func tables() async throws {
        try await twoShops { world, mine, theirs in
            var tried: [String: Int] = [:]
            let tables = try await world.rows(
                """
                select c.relname::text, coalesce(string_agg(distinct a.attname::text, ','), '')
                from pg_class c left join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
                where c.relnamespace = 'sineta'::regnamespace and c.relkind in ('r', 'p')
                  and not c.relispartition
                group by 1 order by 1
                """)
            for row in tables where try row.text(1).split(separator: ",").contains("store_id") {
                let table = try row.text(0)
                for act in ["select", "update", "insert", "delete"] {
                    let may = try await world.rows(
                        """
                        select case when $2 = 'delete'
                          then has_table_privilege('sineta_api', 'sineta.' || $1, $2)
                          else has_any_column_privilege('sineta_api', 'sineta.' || $1, $2) end
                        """, .text(table), .text(act))
                    if try may[0].bool(0) { tried[act, default: 0] += 1 }
                }
                let person =
                    try row.text(1).split(separator: ",").contains("user_id")
                    ? (", user_id", ", '\(theirs.owner.id)'") : ("", "")
                // Sent as the API's role with the context of `mine`, past every Swift door. Reading
                // has policies of its own, so what is changed is not read: somebody changes all
                // that they may, who may nothing.
                let script = """
                    set role sineta_api;
                    begin;
                    select set_config('app.stores', '{\(mine.id)}', true),
                      set_config('app.user', '\(mine.owner.id)', true);
                    do $$
                    declare n bigint;
                    begin
                      if has_table_privilege('sineta.\(table)', 'select')
                         or has_any_column_privilege('sineta.\(table)', 'select') then
                        execute 'select count(store_id) from sineta.\(table)
                          where store_id = ''\(theirs.id)''' into n;
                        if n > 0 then raise 'reads % rows', n; end if;
                      end if;
                      if has_any_column_privilege('sineta.\(table)', 'insert') then
                        begin
                          insert into sineta.\(table) (store_id\(person.0))
                            values ('\(theirs.id)'\(person.1));
                          raise 'inserts';
                        exception when insufficient_privilege then null;
                        end;
                      end if;
                      perform set_config('app.stores', '{\(UUID.v7())}', true),
                        set_config('app.user', '\(UUID.v7())', true);
                      if has_any_column_privilege('sineta.\(table)', 'update') then
                        execute (select format('update sineta.\(table) set %I = null', attname)
                          from pg_attribute
                          where attrelid = 'sineta.\(table)'::regclass and attnum > 0
                            and has_column_privilege(attrelid, attnum, 'update')
                          order by attnotnull limit 1);
                        get diagnostics n = row_count;
                        if n > 0 then raise 'updates % rows', n; end if;
                      end if;
                      if has_table_privilege('sineta.\(table)', 'delete') then
                        execute 'delete from sineta.\(table)';
                        get diagnostics n = row_count;
                        if n > 0 then raise 'deletes % rows', n; end if;
                      end if;
                    end $$;
                    rollback;
                    """
                do {
                    try await world.database.run(script, as: .superuser)
                } catch {
                    Issue.record("\(table): \(error)")
                }
            }
            // None of the four would pass for want of a table.
            #expect(tried.count == 4 && tried.values.allSatisfy { $0 > 5 }, "\(tried)")
        }
    }

    @Test("a row cannot be written into another store")
    func writing() async throws {
        try await twoShops { world, mine, theirs in
            await #expect(throws: PostgresError.self) {
                _ = try await world.run(mine.owner.credential) { transaction in
                    try Templates.save(
                        theirs.id, kind: "orders.created", language: "pt",
                        words: StoredWords(title: "t", body: "b"), by: mine.owner.id,
                        in: transaction)
                }
            }
            await #expect(throws: PostgresError.self) {
                try await world.run(mine.owner.credential) { transaction in
                    try Audit.write(
                        theirs.id, actor: "x", act: "test", subject: "x", in: transaction)
                }
            }
            await #expect(throws: PostgresError.self) {
                _ = try await world.run(mine.owner.credential) { transaction in
                    try Members.add(
                        theirs.id, NewMember(email: mine.owner.email, role: .owner),
                        newUser: UserID(.v7()), invite: LinkTerms(hash: [1], life: .seconds(9)),
                        in: transaction)
                }
            }
            await #expect(throws: PostgresError.self) {
                _ = try await world.run(mine.owner.credential) { transaction in
                    try Members.remove(theirs.id, theirs.owner.id, in: transaction)
                }
            }
        }
    }

    @Test("every read that names another store comes back empty")
    func reading() async throws {
        try await twoShops { world, mine, theirs in
            let me = mine.owner
            try await world.run(me.credential) { tx throws -> Void in
                let s = theirs.id
                #expect(try Stores.find(s, in: tx) == nil)
                #expect(try Members.list(s, page: Page(limit: 9), in: tx).isEmpty)
                #expect(try APITokens.list(s, page: Page(limit: 9), in: tx).isEmpty)
                #expect(try Templates.list(s, in: tx).isEmpty)
                #expect(try Mutes.find(s, theirs.owner.id, .customer, "c", in: tx) == nil)
                #expect(try PreferenceStore.policy(s, in: tx).version == 0)
                #expect(
                    try PreferenceStore.preferences(s, theirs.owner.id, in: tx).version == 0)
                #expect(try Audit.list(s, page: Page(limit: 9), in: tx).isEmpty)
                #expect(
                    try AlertRecords.list(s, AlertFilter(), after: nil, limit: 9, in: tx).isEmpty)
                #expect(
                    try Inbox.list([s], of: theirs.owner.id, after: nil, limit: 9, in: tx)
                        .isEmpty)
                #expect(try Conversations.counts(s, for: me.id, in: tx).total == 0)
                #expect(
                    try CoverageFacts.names(s, of: [theirs.owner.id], in: tx).isEmpty)
            }
            try await world.run(mine.owner.credential) { tx throws -> Void in
                let s = mine.id
                #expect(try Stores.find(s, in: tx) != nil)
                #expect(try Members.list(s, page: Page(limit: 9), in: tx).count == 1)
                #expect(
                    try AlertRecords.list(s, AlertFilter(), after: nil, limit: 9, in: tx).count
                        == 3)
                #expect(try Inbox.list([s], of: me.id, after: nil, limit: 9, in: tx).count == 2)
            }
        }
    }

    @Test("the worker's statements keep two stores of one batch apart")
    func batch() async throws {
        try await twoShops { world, mine, theirs in
            for shop in [mine, theirs] {
                _ = try await world.post(
                    shop, World.order(shop, .ordersCreated, "again", order: .v7()))
            }
            let decided = try await Decider(world: world).decide()
            #expect(decided.count == 2)
            for alert in decided {
                let owner = alert.alert.store == mine.id ? mine.owner.id : theirs.owner.id
                #expect(alert.decisions.map(\.user) == [owner])
            }
            // A push that names the alert of one store and the other store has nothing to send.
            let request = PushRequest(
                push: PushID(.v7()), store: theirs.id,
                alert: decided[decided[0].alert.store == mine.id ? 0 : 1].alert.id,
                device: DeviceID(.v7()), user: mine.owner.id)
            let found = try await PushMaterial.load(
                [request], pool: world.worker, deadline: World.deadline,
                isConfigured: { _ in true })
            #expect(found.isEmpty)
        }
    }

    @Test("after a transaction the next one on the connection begins without a caller")
    func leftover() async throws {
        try await World.run { world in
            let shop = try await world.shop()
            let pool = try world.database.pool(size: 1)
            _ = try await pool.transaction(
                deadline: World.deadline, preamble: Entry.preamble(shop.owner.credential)

            ) { tx throws -> Void in #expect(try Stores.find(shop.id, in: tx) != nil) }
            try await pool.transaction(
                deadline: World.deadline, preamble: Entry.preamble(role: .api)
            ) { tx throws -> Void in
                #expect(try Stores.find(shop.id, in: tx) == nil)
                #expect(try Orders.find(shop.id, "x", in: tx) == nil)
            }
        }
    }
}
