# One image for the console, both workers and the migrations: what runs is the command, what it may is its environment.
ARG BASE=python:3.13-slim-bookworm

FROM ${BASE} AS build
WORKDIR /source
COPY . .
# The versions that are tested; npm's part comes as a wheel for the build alone
RUN sed -nE 's/^([a-z0-9._-]+)(\[[a-z0-9,-]+\])?(==[^\\]+)\\$/\1\3/p' requirements.lock > /constraints.txt \
    && python -m venv /opt/watchfloor \
    && /opt/watchfloor/bin/pip install --no-cache-dir --constraint /constraints.txt '.[aws,ml,oidc,otel]'

FROM ${BASE}
RUN useradd --system --uid 10001 --create-home --home-dir /var/lib/watchfloor watchfloor
COPY --from=build /opt/watchfloor /opt/watchfloor
ENV PATH=/opt/watchfloor/bin:$PATH PYTHONUNBUFFERED=1 LOG_FORMAT=json
USER 10001
WORKDIR /var/lib/watchfloor
EXPOSE 8000
ENTRYPOINT ["watchfloor"]
CMD ["worker"]
