import Jobs
import Runtime
import TestKit
import Testing

@testable import Postgres
@testable import Storage

@Suite("The schema")
struct SchemaTests {
    /// The checksum of each migration's text, as databases keep it.
    static let pinned: [(number: Int, checksum: Int64)] = [
        (1, -7_577_778_539_771_403_911),
        (100, 2_179_373_510_554_145_034),
        (101, -8_808_098_739_608_418_952),
        (102, 2_917_739_799_249_298_074),
        (103, -7_807_898_982_117_530_176),
        (201, 3_681_929_284_137_836_029),
        (202, 1_409_841_319_082_029_512),
        (203, -1_502_900_937_571_034_786),
        (204, -5_460_388_198_013_971_482),
        (205, -5_860_441_255_668_224_263),
        (206, -4_427_193_310_982_896_923),
        (207, -2_725_782_382_767_193_860),
        (208, -4_685_960_241_672_441_471),
        (209, 9_147_723_079_833_889_859),
        (221, -3_547_844_255_909_013_080),
        (222, 2_935_624_130_240_326_128),
        (223, 7_108_064_934_043_586_166),
        (224, -5_000_213_255_579_749_417),
        (225, 1_967_754_002_089_525_161),
        (226, 62_874_033_214_410_844),
        (227, -4_793_006_075_980_708_124),
        (228, 6_644_727_707_676_849_083),
        (229, 3_961_660_058_854_904_079),
        (230, 4_741_358_303_555_262_675),
        (231, 6_753_622_473_449_582_030),
        (232, -6_753_398_938_362_671_805),
        (233, -2_824_941_787_283_241_191),
        (234, -2_489_170_040_919_005_457),
        (235, -512_935_070_985_845_173),
        (236, -7_199_221_347_804_581_178),
        (237, -4_992_606_612_476_168_505),
        (238, 3_706_286_636_521_685_107),
        (239, 5_568_083_729_208_310_577),
    ]

    @Test("no migration that a database may have has changed, and new ones come last")
    func texts() {
        let advice: Comment = """
            a database that has this migration would refuse to go on: put the text back, and bring \
            the change as a new migration at the end of Schema.migrations, with its line here
            """
        for (migration, known) in zip(Schema.migrations, Self.pinned) {
            #expect(migration.number == known.number, advice)
            #expect(migration.checksum == known.checksum, advice)
        }
        for migration in Schema.migrations.dropFirst(Self.pinned.count) {
            Issue.record("pin (\(migration.number), \(migration.checksum)) at the end of the list")
        }
        #expect(Schema.migrations.count >= Self.pinned.count, advice)
    }

    @Test("a database that stopped at any earlier migration is brought forward")
    func forward() async throws {
        let first = Array(Schema.migrations.prefix { $0.number <= 227 })
        try await withTestDatabase(first) { database in
            let migrator = Migrator(
                Schema.migrations, configuration: try database.configuration(.owner), log: .silent)
            let done = try await migrator.migrate(deadline: .after(.seconds(60)))
            #expect(done.map(\.number) == Schema.migrations.map(\.number).filter { $0 > 227 })
            let pool = try database.pool(.superuser, size: 1)
            let functions = try await pool.query(
                """
                select count(*), count(*) filter (where p.prosecdef
                  and p.proowner = 'sineta_door'::regrole
                  and not has_function_privilege('public', p.oid, 'execute')
                  and has_function_privilege('sineta_api', p.oid, 'execute'))
                from pg_proc p where p.pronamespace = 'sineta'::regnamespace
                  and p.proname in ('enter', 'link_find', 'link_take')
                """, deadline: .after(.seconds(20)))
            #expect(try functions[0].int(0) == 3 && functions[0].int(1) == 3)
            await pool.close()
        }
    }
}
