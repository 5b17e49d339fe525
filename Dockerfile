# The two commands of the README in a container; nothing asks the net once the image is built:
#   docker build -t srlib .
#   docker run --rm --network=none -v "$PWD/reports:/srlib/reports" srlib make report
#   docker run --rm --network=none srlib make test
FROM python:3.11-slim
RUN apt-get update -qq \
 && apt-get install -qq -y --no-install-recommends chromium git make \
 && rm -rf /var/lib/apt/lists/*
ENV VENV=/venv
WORKDIR /srlib
COPY . .
RUN make install && useradd --create-home judge && chown -R judge . /venv
USER judge
CMD ["make", "report"]
