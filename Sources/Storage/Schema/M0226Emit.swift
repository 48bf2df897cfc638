import Postgres

extension Migration {
    /// `sineta.emit`: a commerce backend in the same database raises an event inside its own
    /// transaction.
    static let emit = Migration(
        226, "emit",
        sql: #"""
            -- The declaration of event types, as the room Alerts exports it; `migrate` fills it.
            -- Rows stand in the order in which faults are reported.
            create table sineta.event_fields (
              position integer primary key,
              event text not null,
              path text not null,
              parent text not null,
              name text not null,
              shape text not null,
              is_required boolean not null,
              is_nullable boolean not null,
              minimum bigint,
              maximum bigint,
              pattern text,
              words text[]
            );
            create index event_fields_event on sineta.event_fields (event, position);
            select sineta.guard('sineta.event_fields', 'none',
              worker => 'select, insert, update, delete', door => 'select',
              operator => 'select');

            -- Whether a text of the right form is a moment that exists: 30 February is none.
            create function sineta.is_time(value text) returns boolean
              language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
            begin
              perform make_date(left(value, 4)::integer, substr(value, 6, 2)::integer,
                substr(value, 9, 2)::integer);
              return left(value, 4) <> '0000';
            exception when others then
              return false;
            end $$;
            revoke execute on function sineta.is_time(text) from public;
            grant execute on function sineta.is_time(text) to sineta_door;

            -- The first fault of an event as {pointer, code, message}, or null.
            create function sineta.event_fault(type text, id text, data jsonb) returns jsonb
              language plpgsql stable set search_path = sineta, pg_temp as $$
            declare
              field event_fields; holder jsonb; value jsonb; word text; code text; message text;
            begin
              if id is null then
                return jsonb_build_object('pointer', '/id', 'code', 'required',
                  'message', 'is required');
              elsif octet_length(id) not between 1 and 200 then
                return jsonb_build_object('pointer', '/id', 'code', 'length',
                  'message', 'must have 1 to 200 bytes');
              elsif type is null then
                return jsonb_build_object('pointer', '/type', 'code', 'required',
                  'message', 'is required');
              elsif not exists (select from event_fields f where f.event = type) then
                return jsonb_build_object('pointer', '/type', 'code', 'unknown_value',
                  'message', 'is no known event type');
              elsif data is null then
                return jsonb_build_object('pointer', '/data', 'code', 'required',
                  'message', 'is required');
              elsif jsonb_typeof(data) <> 'object' then
                return jsonb_build_object('pointer', '/data', 'code', 'type',
                  'message', 'must be an object');
              end if;
              for field in select f.* from event_fields f where f.event = type
                           order by f.position loop
                holder := case when field.parent = '' then data
                  else data #> string_to_array(ltrim(field.parent, '/'), '/') end;
                -- What stands in an object that is absent or null is not asked for.
                continue when holder is null or jsonb_typeof(holder) <> 'object';
                value := holder -> field.name;
                code := null;
                if value is null then
                  if field.is_required then code := 'required'; message := 'is required'; end if;
                elsif jsonb_typeof(value) = 'null' and field.is_nullable then
                  null;
                elsif field.shape = 'boolean' then
                  if jsonb_typeof(value) <> 'boolean' then
                    code := 'type'; message := 'must be true or false';
                  end if;
                elsif field.shape = 'object' then
                  if jsonb_typeof(value) <> 'object' then
                    code := 'type'; message := 'must be an object';
                  end if;
                elsif field.shape = 'integer' then
                  -- As the reader of bodies: an integer is written without point and exponent, and
                  -- jsonb keeps the point.
                  if jsonb_typeof(value) <> 'number' or value::text !~ '^-?[0-9]+$' then
                    code := 'type'; message := 'must be an integer';
                  elsif value::text::numeric not between field.minimum and field.maximum then
                    code := 'range';
                    message := format('must be from %s to %s', field.minimum, field.maximum);
                  end if;
                elsif jsonb_typeof(value) <> 'string' then
                  code := 'type'; message := 'must be a string';
                else
                  word := value #>> '{}';
                  if field.shape = 'text'
                     and char_length(word) not between field.minimum and field.maximum then
                    code := 'length';
                    message := format('must have %s to %s characters', field.minimum,
                      field.maximum);
                  elsif field.words is not null and not word = any (field.words) then
                    code := 'unknown_value';
                    message := 'must be one of ' || array_to_string(field.words, ', ');
                  elsif field.pattern is not null and word !~ field.pattern
                     or field.shape = 'time' and not is_time(word) then
                    code := 'format';
                    message := 'does not have the form of a ' || field.shape;
                  end if;
                end if;
                if code is not null then
                  return jsonb_build_object('pointer', '/data' || field.path, 'code', code,
                    'message', message);
                end if;
              end loop;
              return null;
            end $$;
            revoke execute on function sineta.event_fault(text, text, jsonb) from public;
            grant execute on function sineta.event_fault(text, text, jsonb) to sineta_door;

            -- Raises an event of a store in the caller's transaction: checks it and adds one row,
            -- a job. It touches no row that others write, so a transaction left open delays nobody.
            -- A fault raises SQLSTATE 22023 with {pointer, code, message} as DETAIL.
            create function sineta.emit(
              store uuid, type text, id text, data jsonb, occurred_at timestamptz default null
            ) returns void language plpgsql security definer
              set search_path = sineta, pg_temp as $$
            declare fault jsonb;
            begin
              if not exists (select from emitters e
                             where e.store_id = store and e.role = session_user) then
                raise insufficient_privilege using
                  message = 'this role may not raise events for this store';
              end if;
              fault := event_fault(type, id, data);
              if fault is not null then
                raise invalid_parameter_value using
                  message = 'the event is not valid', detail = fault::text;
              end if;
              if occurred_at is not null and not isfinite(occurred_at) then
                raise invalid_parameter_value using message = 'the event is not valid',
                  detail = '{"pointer":"/occurred_at","code":"format","message":"must be finite"}';
              end if;
              insert into jobs (id, store_id, kind, raised_at, args)
                values (uuid7(), store, 'events.apply', clock_timestamp(),
                  jsonb_strip_nulls(jsonb_build_object('occurred_at', to_char(
                    occurred_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')))
                  || jsonb_build_object('id', id, 'type', type, 'data', data));
            end $$;
            -- Which roles may raise for which store stands in sineta.emitters, so everybody may
            -- call; they need the schema for it.
            select sineta.door('sineta.emit(uuid, text, text, jsonb, timestamptz)',
              'sineta_operator');

            -- Lets a database role raise events for a store.
            -- The owner grants; the row is the operator's, since FORCE keeps the owner out.
            create function sineta.admit_emitter(emitter name, store uuid) returns void
              language plpgsql set search_path = pg_catalog, pg_temp as $$
            declare before text := current_setting('role');
            begin
              execute format('grant usage on schema sineta to %I', emitter);
              execute format(
                'grant execute on function sineta.emit(uuid, text, text, jsonb, timestamptz) to %I',
                emitter);
              perform set_config('role', 'sineta_operator', true);
              insert into sineta.emitters (store_id, role) values (store, emitter)
                on conflict do nothing;
              perform set_config('role', before, true);
            end $$;
            revoke execute on function sineta.admit_emitter(name, uuid) from public;
            """#)
}
